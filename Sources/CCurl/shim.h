// libcurl, loaded when the first of its functions is needed.
//
// It brings thirty other libraries, and loading them takes longer than all that `podget list` does. So
// nothing links it: each function here looks for libcurl's own when it is called first. They have
// libcurl's names with another prefix, and one for each type of argument where libcurl's are variadic,
// which Swift does not import.
#ifndef PODGET_CCURL_SHIM_H
#define PODGET_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

// A function of libcurl; null if there is no libcurl.
static inline void *podget_curl_function(const char *name) {
  // Loading it again only returns it. Null asks for what every program would use (RTLD_DEFAULT), so that
  // a library of LD_PRELOAD comes first, as always.
  return dlopen("libcurl.so.4", RTLD_LAZY | RTLD_GLOBAL) ? dlsym(NULL, name) : NULL;
}

// Threads may look for a function at the same time; all find the same.
#define PODGET_CURL(function)                                                            \
  ({                                                                                     \
    static __typeof__(&function) found;                                                  \
    __typeof__(&function) known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);             \
    if (!known) {                                                                        \
      known = (__typeof__(&function))podget_curl_function(#function);                    \
      __atomic_store_n(&found, known, __ATOMIC_RELEASE);                                 \
    }                                                                                    \
    known;                                                                               \
  })

// Whether there is a libcurl that has all functions: this is the newest of them (7.68). Where there is
// none, no function below may be called but `podget_url_new`.
static inline bool podget_has_curl(void) { return PODGET_CURL(curl_multi_wakeup) != NULL; }

typedef size_t (*podget_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode podget_curl_set_up(void) {
  return PODGET_CURL(curl_global_init)(CURL_GLOBAL_DEFAULT);
}

static inline CURL *podget_easy_init(void) { return PODGET_CURL(curl_easy_init)(); }

static inline void podget_easy_cleanup(CURL *easy) { PODGET_CURL(curl_easy_cleanup)(easy); }

static inline CURLcode podget_easy_pause(CURL *easy, int directions) {
  return PODGET_CURL(curl_easy_pause)(easy, directions);
}

static inline const char *podget_easy_strerror(CURLcode code) {
  return PODGET_CURL(curl_easy_strerror)(code);
}

static inline CURLcode podget_setopt_long(CURL *easy, CURLoption option, long value) {
  return PODGET_CURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode podget_setopt_string(CURL *easy, CURLoption option, const char *value) {
  return PODGET_CURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode podget_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return PODGET_CURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode podget_setopt_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return PODGET_CURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode podget_setopt_callback(
    CURL *easy, CURLoption option, podget_data_callback value) {
  return PODGET_CURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode podget_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return PODGET_CURL(curl_easy_getinfo)(easy, info, value);
}

static inline struct curl_slist *podget_slist_append(struct curl_slist *list, const char *text) {
  return PODGET_CURL(curl_slist_append)(list, text);
}

static inline void podget_slist_free_all(struct curl_slist *list) {
  PODGET_CURL(curl_slist_free_all)(list);
}

static inline CURLM *podget_multi_init(void) { return PODGET_CURL(curl_multi_init)(); }

static inline CURLMcode podget_multi_cleanup(CURLM *multi) {
  return PODGET_CURL(curl_multi_cleanup)(multi);
}

static inline CURLMcode podget_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return PODGET_CURL(curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode podget_multi_add_handle(CURLM *multi, CURL *easy) {
  return PODGET_CURL(curl_multi_add_handle)(multi, easy);
}

static inline CURLMcode podget_multi_remove_handle(CURLM *multi, CURL *easy) {
  return PODGET_CURL(curl_multi_remove_handle)(multi, easy);
}

static inline CURLMcode podget_multi_perform(CURLM *multi, int *running) {
  return PODGET_CURL(curl_multi_perform)(multi, running);
}

static inline CURLMcode podget_multi_poll(CURLM *multi, int milliseconds) {
  return PODGET_CURL(curl_multi_poll)(multi, NULL, 0, milliseconds, NULL);
}

static inline CURLMcode podget_multi_wakeup(CURLM *multi) {
  return PODGET_CURL(curl_multi_wakeup)(multi);
}

static inline CURLMsg *podget_multi_info_read(CURLM *multi, int *queued) {
  return PODGET_CURL(curl_multi_info_read)(multi, queued);
}

// The two members of CURLMsg that the loop reads; Swift imports its union badly.
static inline CURL *podget_message_easy(const CURLMsg *message) { return message->easy_handle; }
static inline CURLcode podget_message_result(const CURLMsg *message) { return message->data.result; }

static inline CURLU *podget_url_new(void) { return podget_has_curl() ? PODGET_CURL(curl_url)() : NULL; }

static inline void podget_url_cleanup(CURLU *url) { PODGET_CURL(curl_url_cleanup)(url); }

static inline CURLUcode podget_url_set(
    CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
  return PODGET_CURL(curl_url_set)(url, part, text, flags);
}

// The text is to be freed with `podget_curl_free`.
static inline CURLUcode podget_url_get(
    CURLU *url, CURLUPart part, char **text, unsigned int flags) {
  return PODGET_CURL(curl_url_get)(url, part, text, flags);
}

static inline void podget_curl_free(void *bytes) { PODGET_CURL(curl_free)(bytes); }

#endif
