// The door to jansson: https://jansson.readthedocs.io/en/latest/apiref.html
#pragma once
#include <jansson.h>
