// The door to libcurl: https://curl.se/libcurl/c/
#pragma once
#include <curl/curl.h>
