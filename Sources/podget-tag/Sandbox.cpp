#include "Sandbox.h"

#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

/// What reading and changing an open file, and memory, need; nothing that opens, sends or starts.
const unsigned allowed[] = {
    __NR_read,         __NR_write,        __NR_pread64,     __NR_pwrite64, __NR_readv,
    __NR_writev,       __NR_lseek,        __NR_fstat,       __NR_fcntl,    __NR_ftruncate,
    __NR_close,        __NR_dup,          __NR_brk,         __NR_mmap,     __NR_munmap,
    __NR_mremap,       __NR_mprotect,     __NR_madvise,     __NR_futex,    __NR_getrandom,
    __NR_rt_sigaction, __NR_rt_sigreturn, __NR_exit,        __NR_exit_group,
    __NR_rt_sigprocmask, __NR_fallocate,
    // glibc's fstat: a path in it says only whether there is something.
    __NR_newfstatat,
};
const size_t count = sizeof allowed / sizeof *allowed;

/// The numbers are those of this architecture. Calls of another one have other numbers.
#if defined(__x86_64__)
const unsigned architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
const unsigned architecture = AUDIT_ARCH_AARCH64;
#else
const unsigned architecture = 0;
#endif

}  // namespace

void refuseOtherCalls() {
  if (architecture == 0) return;
  sock_filter filter[count + 6];
  size_t place = 0;
  filter[place++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  filter[place++] =
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 0, static_cast<__u8>(count + 1));
  filter[place++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (size_t number = 0; number < count; number++)
    filter[place++] = BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, allowed[number], static_cast<__u8>(count - number), 0);
  filter[place++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  filter[place++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program = {static_cast<unsigned short>(place), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
