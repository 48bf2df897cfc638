// The door to libmicrohttpd: https://www.gnu.org/software/libmicrohttpd/manual/
#pragma once
#include <microhttpd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
