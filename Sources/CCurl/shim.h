// The door to libcurl: https://curl.se/libcurl/c/
#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not import.
static inline CURLcode sineta_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode sineta_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode sineta_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode sineta_curl_set_headers(CURL *handle, struct curl_slist *list) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
}
// Copies the bytes; the size must be known first, for they may contain zeros.
static inline CURLcode sineta_curl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}
static inline CURLcode sineta_curl_set_receiver(
    CURL *handle, CURLoption function, CURLoption data, curl_write_callback callback, void *value) {
    CURLcode code = curl_easy_setopt(handle, function, callback);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(handle, data, value);
}
static inline CURLcode sineta_curl_set_socket_opener(
    CURL *handle, curl_opensocket_callback callback, void *value) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, value);
}
static inline CURLcode sineta_curl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
// A macro with a cast.
static inline curl_socket_t sineta_curl_no_socket(void) { return CURL_SOCKET_BAD; }
