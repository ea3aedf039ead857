#define _GNU_SOURCE
#include "Faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
  CALL_OPEN, CALL_MKDIR, CALL_WRITE, CALL_PWRITE, CALL_FALLOCATE, CALL_TRUNCATE, CALL_TIMES,
  CALL_FDATASYNC, CALL_FSYNC, CALL_RENAME, CALL_RENAME2, CALL_LINK, CALL_UNLINK, CALL_PREAD,
  CALL_SETOPT, CALL_SLIST, CALL_PAUSE, CALL_PERFORM, CALL_POLL, CALL_DIGEST, CALL_ANY
};

static const char *const call_names[] = {
  "open", "mkdir", "write", "pwrite", "fallocate", "truncate", "times", "fdatasync", "fsync",
  "rename", "rename2", "link", "unlink", "pread",
  "setopt", "slist", "pause", "perform", "poll", "digest", "any",
};

enum action { ACTION_NONE, ACTION_ERROR, ACTION_KILL, ACTION_TEAR, ACTION_STOP, ACTION_SHORT,
  ACTION_LOSE, ACTION_MOUNT, ACTION_SKIP };

static const char *const action_names[] = {
  "", "", "kill", "tear", "stop", "short", "lose", "mount", "skip",
};

struct rule {
  enum call call;
  long first, step;
  enum action action;
  int number;
  atomic_long count;
};

static struct rule rules[16];
static int rule_count;

__attribute__((constructor)) static void read_rules(void) {
  const char *given = getenv("PODGET_FAULTS");
  char *text = given ? strdup(given) : NULL, *save = NULL;
  for (char *item = text ? strtok_r(text, ",", &save) : NULL; item && rule_count < 16;
       item = strtok_r(NULL, ",", &save)) {
    struct rule *rule = &rules[rule_count];
    char *when = strchr(item, ':');
    char *what = when ? strchr(when + 1, ':') : NULL;
    if (!what) abort();
    *when++ = *what++ = 0;
    rule->call = CALL_OPEN;
    while (strcmp(call_names[rule->call], item) != 0)
      if (++rule->call > CALL_ANY) abort();
    rule->first = strtol(when, &when, 10);
    rule->step = *when == '+' ? strtol(when + 1, NULL, 10) : 0;
    rule->action = ACTION_ERROR;
    rule->number = atoi(what);
    for (int action = ACTION_KILL; action <= ACTION_SKIP; action++)
      if (strcmp(action_names[action], what) == 0) rule->action = action;
    rule_count++;
  }
  free(text);
}

static void mark(void) {
  const char *path = getenv("PODGET_FAULTS_MARK");
  if (path) syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0644));
}

// Counts a call and returns what is done with it; the number of an error goes to errno.
static enum action decide(enum call call) {
  enum action found = ACTION_NONE;
  for (int index = 0; index < rule_count; index++) {
    struct rule *rule = &rules[index];
    if (rule->call != call && (rule->call != CALL_ANY || call >= CALL_PREAD)) continue;
    long count = atomic_fetch_add(&rule->count, 1) + 1;
    int hits = count == rule->first
      || (rule->step > 0 && count > rule->first && (count - rule->first) % rule->step == 0);
    if (!hits) continue;
    if (index == rule_count - 1) mark();
    if (rule->action == ACTION_KILL) kill(getpid(), SIGKILL);
    // To this thread, so that it has stopped before the call returns.
    if (rule->action == ACTION_STOP) syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
    else found = rule->action;
    if (rule->action == ACTION_ERROR) errno = rule->number;
    if (rule->action == ACTION_LOSE) errno = EIO;
    if (rule->action == ACTION_MOUNT) errno = EXDEV;
  }
  return found;
}

// For most calls: whether the call is to be left out, and with what result.
static int is_replaced(enum call call, int *result) {
  enum action action = decide(call);
  if (action == ACTION_TEAR) kill(getpid(), SIGKILL);
  *result = action == ACTION_SKIP ? 0 : -1;
  return action == ACTION_ERROR || action == ACTION_LOSE || action == ACTION_SKIP;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REPLACED(call) do { int result; if (is_replaced(call, &result)) return result; } while (0)

static int is_regular(int file) {
  int number = errno;
  struct stat status;
  int regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  errno = number;
  return regular;
}

static ssize_t write_some(
  enum call call, int file, const void *bytes, size_t count, off_t offset
) {
  enum action action = call == CALL_WRITE && !is_regular(file) ? ACTION_NONE : decide(call);
  if (action == ACTION_ERROR || action == ACTION_LOSE) return -1;
  if (action == ACTION_SKIP) return (ssize_t)count;
  if ((action == ACTION_SHORT || action == ACTION_TEAR) && count > 1) count /= 2;
  ssize_t done = call == CALL_WRITE ? syscall(SYS_write, file, bytes, count)
                                    : syscall(SYS_pwrite64, file, bytes, count, offset);
  if (action == ACTION_TEAR) kill(getpid(), SIGKILL);
  return done;
}

ssize_t write(int file, const void *bytes, size_t count) {
  return write_some(CALL_WRITE, file, bytes, count, 0);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return write_some(CALL_PWRITE, file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return write_some(CALL_PWRITE, file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  enum action action = decide(CALL_PREAD);
  if (action == ACTION_ERROR) return -1;
  if (action == ACTION_SHORT && count > 1) count /= 2;
  return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
  return pread(file, bytes, count, offset);
}

static int open_some(int folder, const char *path, int flags, mode_t mode) {
  const char *boot = getenv("PODGET_FAULTS_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
  if (flags & O_CREAT) REPLACED(CALL_OPEN);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if (flags & O_CREAT) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); \
    va_end(list); }

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_some(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_some(folder, path, flags, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  REPLACED(CALL_MKDIR);
  return REAL(mkdirat)(folder, path, mode);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
  REPLACED(CALL_FALLOCATE);
  return (int)syscall(SYS_fallocate, file, mode, offset, length);
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  return fallocate(file, mode, offset, length);
}

int ftruncate(int file, off_t length) {
  REPLACED(CALL_TRUNCATE);
  return (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

int futimens(int file, const struct timespec times[2]) {
  REPLACED(CALL_TIMES);
  return REAL(futimens)(file, times);
}

// What a disk does that accepted bytes and could not store them: they are zero from now on.
static void lose_part(int file) {
  char link[64], path[4096];
  strcpy(link, "/proc/self/fd/");
  char digits[16], *digit = digits + sizeof digits;
  *--digit = 0;
  for (int rest = file; rest > 0 || !*digit; rest /= 10) *--digit = (char)('0' + rest % 10);
  strcat(link, digit);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 5 || memcmp(path + length - 5, ".part", 5) != 0) return;
  struct stat status;
  if (fstat(file, &status) != 0) return;
  static const char zeros[65536];
  for (off_t offset = 0; offset < status.st_size; offset += (off_t)sizeof zeros) {
    size_t count = sizeof zeros;
    if (status.st_size - offset < (off_t)count) count = (size_t)(status.st_size - offset);
    syscall(SYS_pwrite64, file, zeros, count, offset);
  }
}

static int synchronize(enum call call, long number, int file) {
  enum action action = decide(call);
  if (action == ACTION_TEAR) kill(getpid(), SIGKILL);
  if (action == ACTION_LOSE) {
    lose_part(file);
    errno = EIO;
  }
  if (action == ACTION_ERROR || action == ACTION_LOSE) return -1;
  if (action == ACTION_SKIP) return 0;
  return (int)syscall(number, file);
}

int fsync(int file) { return synchronize(CALL_FSYNC, SYS_fsync, file); }

int fdatasync(int file) { return synchronize(CALL_FDATASYNC, SYS_fdatasync, file); }

// Like is_replaced, for calls that cannot reach from one file system to another.
static int is_apart(enum call call, int from, int to, int *result) {
  enum action action = decide(call);
  if (action == ACTION_TEAR) kill(getpid(), SIGKILL);
  *result = action == ACTION_SKIP ? 0 : -1;
  return action == ACTION_ERROR || action == ACTION_SKIP || (action == ACTION_MOUNT && from != to);
}

#define APART(call) \
  do { int result; if (is_apart(call, from, to, &result)) return result; } while (0)

int renameat(int from, const char *old, int to, const char *new) {
  APART(CALL_RENAME);
  return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  APART(CALL_RENAME2);
  return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  APART(CALL_LINK);
  return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int unlinkat(int folder, const char *path, int flags) {
  REPLACED(CALL_UNLINK);
  return (int)syscall(SYS_unlinkat, folder, path, flags);
}

// Calls of libcurl and libcrypto: the rule's number is what they return.

static int is_refused(enum call call, int *result) {
  if (decide(call) != ACTION_ERROR) return 0;
  *result = errno;
  return 1;
}

#define REFUSED(call) do { int result; if (is_refused(call, &result)) return result; } while (0)

int curl_easy_setopt(void *easy, int option, ...) {
  // Every option's value comes in one register, whatever its type.
  va_list list;
  va_start(list, option);
  void *value = va_arg(list, void *);
  va_end(list);
  REFUSED(CALL_SETOPT);
  return REAL(curl_easy_setopt)(easy, option, value);
}

void *curl_slist_append(void *list, const char *text) {
  int result;
  if (is_refused(CALL_SLIST, &result)) return NULL;
  return REAL(curl_slist_append)(list, text);
}

int curl_easy_pause(void *easy, int what) {
  REFUSED(CALL_PAUSE);
  return REAL(curl_easy_pause)(easy, what);
}

int curl_multi_perform(void *multi, int *running) {
  REFUSED(CALL_PERFORM);
  return REAL(curl_multi_perform)(multi, running);
}

int curl_multi_poll(void *multi, void *more, unsigned count, int milliseconds, int *ready) {
  REFUSED(CALL_POLL);
  return REAL(curl_multi_poll)(multi, more, count, milliseconds, ready);
}

int EVP_DigestInit_ex(void *context, const void *type, void *engine) {
  REFUSED(CALL_DIGEST);
  return REAL(EVP_DigestInit_ex)(context, type, engine);
}

int EVP_DigestUpdate(void *context, const void *bytes, size_t count) {
  REFUSED(CALL_DIGEST);
  return REAL(EVP_DigestUpdate)(context, bytes, count);
}

int EVP_DigestFinal_ex(void *context, unsigned char *digest, unsigned *count) {
  REFUSED(CALL_DIGEST);
  return REAL(EVP_DigestFinal_ex)(context, digest, count);
}
