// Calls that only Linux has, for PodcastSystem alone.
#ifndef PODGET_CLINUX_SHIM_H
#define PODGET_CLINUX_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

// Prototypes that glibc declares only with _GNU_SOURCE. Swift compiles no C here, so these are enough.
int fallocate(int descriptor, int mode, off_t offset, off_t length);
int renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name,
              unsigned int flags);
int statx(int folder, const char *name, int flags, unsigned int wanted, struct statx *status);
// The first parameter is a posix_spawn_file_actions_t, whose header would own types of Glibc.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
int close_range(unsigned int first, unsigned int last, int flags);
int memfd_create(const char *name, unsigned int flags);

// glibc declares the plain name only with _GNU_SOURCE.
static const int podget_open_path = __O_PATH;

typedef struct {
  uint32_t device_major;
  uint32_t device_minor;
  // The mount's number, a unique one if the kernel supports that (Linux 6.8); 0 if the kernel does
  // not report it.
  uint64_t mount;
} podget_attachment;

// The device and the mount that an open file is on; -1 and errno when it fails.
static inline int podget_attachment_get(int descriptor, podget_attachment *result) {
  const int empty_path = 0x1000;
  const unsigned int mount = STATX_MNT_ID | 0x4000;
  struct statx status;
  if (statx(descriptor, "", empty_path, mount, &status) != 0) return -1;
  result->device_major = status.stx_dev_major;
  result->device_minor = status.stx_dev_minor;
  result->mount = status.stx_mask & mount ? status.stx_mnt_id : 0;
  return 0;
}

// Lets an empty file share the bytes of another one; -1 and errno when it fails.
static inline int podget_clone(int file, int copy) {
  const unsigned long clone = 0x40049409; // FICLONE, of <linux/fs.h>
  return ioctl(copy, clone, file);
}

// Lets all threads share one heap, which grows by at least `step` bytes.
static inline void podget_share_heap(int step) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, step);
}

// Sends this process a signal when the thread that started it ends, also when that was killed.
static inline void podget_end_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, signal); }

// The statfs(2) type number of the file system of an open file; 0 when it fails.
static inline uint32_t podget_file_system_kind(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 ? (uint32_t)facts.f_type : 0;
}

#endif
