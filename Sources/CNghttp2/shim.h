// The door to nghttp2: https://nghttp2.org/documentation/apiref.html
#pragma once
#include <nghttp2/nghttp2.h>
#include <stdint.h>

// The flags are an enum without a fixed width; headers and frames keep them in a byte.
static inline uint8_t sineta_nv_no_index(void) { return NGHTTP2_NV_FLAG_NO_INDEX; }
static inline uint8_t sineta_flag_end_stream(void) { return NGHTTP2_FLAG_END_STREAM; }
static inline uint8_t sineta_flag_ack(void) { return NGHTTP2_FLAG_ACK; }
static inline uint8_t sineta_flag_none(void) { return NGHTTP2_FLAG_NONE; }
static inline uint32_t sineta_data_flag_eof(void) { return NGHTTP2_DATA_FLAG_EOF; }
