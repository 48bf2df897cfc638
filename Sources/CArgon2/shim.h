// The door to libargon2, the reference implementation: https://github.com/P-H-C/phc-winner-argon2
#pragma once
#include <argon2.h>
