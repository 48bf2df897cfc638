// The door to libpq: https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>
