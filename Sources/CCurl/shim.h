// Typed wrappers of libcurl's variadic functions, one for each argument type: Swift imports no variadics.
#ifndef PODGET_CCURL_SHIM_H
#define PODGET_CCURL_SHIM_H

#include <curl/curl.h>
#include <stddef.h>

typedef size_t (*podget_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode podget_setopt_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode podget_setopt_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode podget_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode podget_setopt_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode podget_setopt_callback(
    CURL *easy, CURLoption option, podget_data_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode podget_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode podget_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The two members of CURLMsg that the loop reads; Swift imports its union badly.
static inline CURL *podget_message_easy(const CURLMsg *message) { return message->easy_handle; }
static inline CURLcode podget_message_result(const CURLMsg *message) { return message->data.result; }

#endif
