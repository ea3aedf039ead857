// Functions for files, folders and memory that Swift does not import well.
//
// struct stat and struct timespec reach Swift through several C modules, and which of them owns the
// members depends on the order in which files are compiled. Types of our own have one owner.
#ifndef PODGET_CFILES_SHIM_H
#define PODGET_CFILES_SHIM_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// glibc declares it only with _GNU_SOURCE.
void *memmem(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

typedef struct {
  int64_t size;
  // How many bytes of the disk it uses; more than `size` if space beyond its end is reserved.
  int64_t allocated;
  uint64_t inode;
  uint64_t device;
  // Nanoseconds since 1970 UTC: when the content, and when anything about it changed.
  int64_t modified;
  int64_t changed;
  uint32_t permissions;
  // How many names the file has.
  uint64_t links;
  // Its owner, and its group.
  uint32_t owner;
  uint32_t group;
  bool is_regular;
  bool is_folder;
  bool is_link;
} podget_file_status;

// A file system may store any time; one beyond the year 2262 counts as that year, one before 1677 as
// that one.
static inline int64_t podget_nanoseconds(struct timespec time) {
  int64_t result;
  if (__builtin_mul_overflow((int64_t)time.tv_sec, INT64_C(1000000000), &result) ||
      __builtin_add_overflow(result, (int64_t)time.tv_nsec, &result)) {
    return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  }
  return result;
}

static inline podget_file_status podget_status_of(const struct stat *status) {
  const podget_file_status result = {status->st_size,
                                     (int64_t)status->st_blocks * 512,
                                     status->st_ino,
                                     status->st_dev,
                                     podget_nanoseconds(status->st_mtim),
                                     podget_nanoseconds(status->st_ctim),
                                     status->st_mode & 07777,
                                     status->st_nlink,
                                     status->st_uid,
                                     status->st_gid,
                                     S_ISREG(status->st_mode),
                                     S_ISDIR(status->st_mode),
                                     S_ISLNK(status->st_mode)};
  return result;
}

// The status of an open file; -1 and errno when it fails.
static inline int podget_file_status_get(int descriptor, podget_file_status *result) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return -1;
  *result = podget_status_of(&status);
  return 0;
}

// How many bytes this user may still write to the file system of an open file; -1 when unknown.
static inline int64_t podget_free_bytes(int descriptor) {
  struct statvfs facts;
  int64_t result;
  if (fstatvfs(descriptor, &facts) != 0 || facts.f_blocks == 0) return -1;
  if (__builtin_mul_overflow(facts.f_bavail, facts.f_frsize, &result)) return INT64_MAX;
  return result;
}

// The size of the file system of an open file in bytes; -1 when unknown.
static inline int64_t podget_disk_bytes(int descriptor) {
  struct statvfs facts;
  int64_t result;
  if (fstatvfs(descriptor, &facts) != 0 || facts.f_blocks == 0) return -1;
  if (__builtin_mul_overflow(facts.f_blocks, facts.f_frsize, &result)) return INT64_MAX;
  return result;
}

// The status of a name in a folder, without following a link; -1 and errno when it fails.
static inline int podget_name_status_get(int folder, const char *name, podget_file_status *result) {
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  *result = podget_status_of(&status);
  return 0;
}

// The same, but a link to a regular file has the size, the times and the kind of that file; its inode and
// its names stay those of the link. A link that another user made, who is not the folder's owner, is
// not followed.
static inline int podget_media_status_get(int folder, const char *name,
                                          podget_file_status *result) {
  struct stat link, file, holder;
  if (fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  *result = podget_status_of(&link);
  if (!S_ISLNK(link.st_mode)) return 0;
  if (link.st_uid != 0 && link.st_uid != geteuid() &&
      (fstat(folder, &holder) != 0 || holder.st_uid != link.st_uid))
    return 0;
  if (fstatat(folder, name, &file, 0) != 0 || !S_ISREG(file.st_mode)) return 0;
  *result = podget_status_of(&file);
  result->is_link = true;
  result->inode = link.st_ino;
  result->device = link.st_dev;
  result->links = link.st_nlink;
  return 0;
}

// Sets both times of a file, in seconds and nanoseconds since 1970 UTC.
static inline int podget_set_times(int descriptor, long seconds, long nanoseconds) {
  const struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
  return futimens(descriptor, times);
}

// Copies the times of another file.
static inline int podget_copy_times(int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0) return -1;
  const struct timespec times[2] = {status.st_atim, status.st_mtim};
  return futimens(to, times);
}

#endif
