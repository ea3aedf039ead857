#ifndef PODGET_FAULTS_H
#define PODGET_FAULTS_H

// A library for LD_PRELOAD: it counts the calls by which a program changes a disk, over all of its
// threads, and makes those fail that PODGET_FAULTS names.
//
// PODGET_FAULTS is a list of rules with commas between: CALL:FIRST[+STEP]:ACTION.
//   CALL    open (with O_CREAT), mkdir, write (to a regular file), pwrite, fallocate, truncate,
//           times, fdatasync, fsync, rename (renameat), rename2 (renameat2), link, unlink; any: all of
//           these, counted together; pread; of libcurl setopt, slist (curl_slist_append), pause,
//           perform and poll; digest: EVP_DigestInit_ex, EVP_DigestUpdate and EVP_DigestFinal_ex
//   FIRST   which one, from 1; with +STEP every STEPth after it too
//   ACTION  kill: SIGKILL before the call
//           tear: half of a write, then SIGKILL; a kill for other calls
//           stop: SIGSTOP before the call
//           short: half of a write, and the count says so
//           lose: a sync fails with EIO and takes all bytes of a .part file with it, as a disk does
//           that drops what it had accepted
//           mount: a rename or link from one folder to another fails as between file systems
//           skip: the call does nothing and returns success
//           a number: the call does nothing and fails with that errno; calls of libcurl and
//           libcrypto return the number
// PODGET_FAULTS_MARK names a file that is created when the last rule is applied.
// PODGET_FAULTS_BOOT names a file that is read in place of the kernel's boot_id.

#endif
