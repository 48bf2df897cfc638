// The door to nghttp2: https://nghttp2.org/documentation/apiref.html
#pragma once
#include <nghttp2/nghttp2.h>
