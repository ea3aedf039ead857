#if os(Linux)

  internal import CLinux
  package import Glibc

  /// The calls of the operating system that are not those of POSIX. Another system needs one more file
  /// like this one, with the same declarations.
  ///
  /// They return what the system returns. Who calls them decides what an error means, and says so.
  package enum OperatingSystem {}

  // MARK: Files

  extension OperatingSystem {
    /// The flag of open(2) for a folder below which names are looked up, even if its entries may not be
    /// listed.
    package static let searchOnly = podget_open_path

    /// Renames a file, if nothing has the new name.
    ///
    /// - Returns: 0, or -1 with errno set; EINVAL or ENOSYS if the file system cannot do that.
    package static func rename(
      _ name: String, in folder: Int32, toFree newName: String, in newFolder: Int32
    ) -> Int32 {
      let noReplace: UInt32 = 1
      return renameat2(folder, name, newFolder, newName, noReplace)
    }

    /// Reserves room for the bytes of a file up to an offset. Its size stays what it is.
    ///
    /// - Returns: 0, or -1 with errno set.
    package static func reserve(_ file: Int32, to end: Int64) -> Int32 {
      let keepSize: Int32 = 1
      return fallocate(file, keepSize, 0, off_t(end))
    }

    /// Lets an empty file share the bytes of another one on the same file system.
    ///
    /// - Returns: 0, or -1 with errno set if the file system cannot do that.
    package static func clone(_ file: Int32, to copy: Int32) -> Int32 {
      podget_clone(file, copy)
    }

    /// Makes the bytes of a file, and its size if necessary, survive a power failure.
    ///
    /// - Returns: 0, or -1 with errno set.
    package static func synchronizeData(_ file: Int32) -> Int32 { fdatasync(file) }

    /// Makes everything about a file, or the entries of a folder, survive a power failure.
    ///
    /// - Returns: 0, or -1 with errno set.
    package static func synchronize(_ file: Int32) -> Int32 { fsync(file) }

    /// Drops the pages of a file that the kernel keeps in memory, and expects a reading from its
    /// beginning to its end.
    package static func readFromDisk(_ file: Int32) {
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// The path of an open file or folder; nil, with errno set, if it has none.
    package static func path(of descriptor: Int32) -> [UInt8]? {
      target(of: "\(descriptors)\(descriptor)")
    }

    /// Gives an open file one more name in a folder, whatever its own names lead to by now.
    ///
    /// - Returns: 0, or -1 with errno set.
    package static func link(_ file: Int32, as name: String, in folder: Int32) -> Int32 {
      linkat(AT_FDCWD, "\(descriptors)\(file)", folder, name, AT_SYMLINK_FOLLOW)
    }

    /// Opens the file of a descriptor again, with flags of its own.
    ///
    /// - Returns: the new descriptor, or -1 with errno set.
    package static func open(again descriptor: Int32, flags: Int32) -> Int32 {
      Glibc.open("\(descriptors)\(descriptor)", flags)
    }

    /// The permissions that new files of this process do not get, `umask(2)`, where that can be read
    /// without a change of it; else nil.
    package static var creationMask: UInt32? {
      // The line is among the first.
      guard let text = text(of: "/proc/self/status") else { return nil }
      let line = text.split(separator: "\n").first { $0.hasPrefix("Umask:") }
      let digits = line?.dropFirst(6).drop { $0 == "\t" || $0 == " " }
      return digits.flatMap { UInt32($0, radix: 8) }
    }

    /// A file in memory without a name, closed in programs that are started.
    ///
    /// - Parameter size: its size in bytes, which nobody can change then; nil if it may grow.
    /// - Returns: its descriptor, or -1 with errno set.
    package static func memoryFile(ofFixedSize size: Int? = nil) -> Int32 {
      // MFD_CLOEXEC and MFD_ALLOW_SEALING of memfd_create(2).
      let file = memfd_create("podget", 1 | 2)
      guard file >= 0, let size else { return file }
      // F_ADD_SEALS, F_SEAL_SHRINK and F_SEAL_GROW of fcntl(2).
      guard ftruncate(file, off_t(size)) == 0, fcntl(file, 1033, 2 | 4) == 0 else {
        close(file)
        return -1
      }
      return file
    }

    private static let descriptors = "/proc/self/fd/"

    /// The first bytes of a file of the kernel; nil if it cannot be read.
    private static func text(of path: String) -> String? {
      let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(file, &bytes, bytes.count)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The first line of a file of the kernel; nil if it is empty.
    private static func line(of path: String) -> String? {
      text(of: path)?.split(separator: "\n").first.map(String.init)
    }

    /// The text of a link; nil, with errno set, if it cannot be read.
    private static func target(of path: String) -> [UInt8]? {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { return nil }
      guard count < buffer.count else {
        errno = ENAMETOOLONG
        return nil
      }
      return buffer[..<count].map(UInt8.init(truncatingIfNeeded:))
    }
  }

  // MARK: Disks and the machine

  extension OperatingSystem {
    /// Identifies this boot of the machine: it changes with a power failure. Nil if the system does not
    /// say.
    package static let bootID = line(of: "/proc/sys/kernel/random/boot_id")

    /// Identifies how the disk of an open file is attached, as far as the system tells: a disk that was
    /// unplugged returns as another one. Only without a disk, as on a network, the mount counts: each
    /// container has its own mounts.
    package static func attachment(of file: Int32) -> String? {
      guard let place = place(of: file) else { return nil }
      let block = "/sys/dev/block/\(place.device_major):\(place.device_minor)"
      // A partition's folder is in that of its disk, which has the number.
      if let disk = line(of: "\(block)/diskseq") ?? line(of: "\(block)/../diskseq") {
        return "disk \(disk)"
      }
      return place.mount > 0 ? "mount \(place.mount)" : nil
    }

    /// Whether a file can be renamed from one of these open folders to the other, as far as their devices
    /// and mounts tell.
    package static func isOneDisk(_ folder: Int32, _ other: Int32) -> Bool {
      guard let here = place(of: folder), let there = place(of: other) else { return false }
      return here.device_major == there.device_major && here.device_minor == there.device_minor
        && here.mount == there.mount
    }

    private static func place(of file: Int32) -> podget_attachment? {
      var place = podget_attachment()
      return podget_attachment_get(file, &place) == 0 ? place : nil
    }

    /// Whether other machines may be using the file system of an open file: a lock works there, at best,
    /// but memory is not shared. False if the file system is not known.
    package static func mayBeRemote(_ file: Int32) -> Bool {
      remoteKinds.contains(podget_file_system_kind(file))
    }

    /// The `statfs(2)` numbers of file systems that other machines may be using at the same time.
    private static let remoteKinds: Set<UInt32> = [
      0x0000_517B,  // SMB
      0xFF53_4D42,  // CIFS
      0xFE53_4D42,  // SMB 2 and 3
      0x0000_6969,  // NFS
      0x0000_564C,  // NCP
      0x0102_1997,  // 9P
      0x5346_414F,  // AFS
      0x6B41_4653,  // AFS, the kernel's own
      0x7375_7245,  // Coda
      0x00C3_6400,  // Ceph
      0x0BD0_0BD0,  // Lustre
      0x0116_1970,  // GFS2
      0x7461_636F,  // OCFS2
      0x4750_4653,  // GPFS
      0x1983_0326,  // BeeGFS
      0x786F_4256,  // VirtualBox's shared folders
      0x6573_5546,  // FUSE, of which sshfs and GlusterFS are
    ]
  }

  // MARK: Processes

  extension OperatingSystem {
    /// A path that starts the running program, even one that was replaced since.
    package static let runningProgram = "/proc/self/exe"

    /// Where the running program is; nil if the kernel does not say.
    package static var placeOfProgram: [UInt8]? { target(of: runningProgram) }

    /// POSIX_SPAWN_SETSID, which Glibc declares only with _GNU_SOURCE: a program gets a session of its
    /// own.
    package static let newSession: Int16 = 0x80

    /// Lets a program that is started inherit no descriptors from a number on.
    ///
    /// - Parameter actions: a posix_spawn_file_actions_t.
    package static func closeOthers(in actions: UnsafeMutableRawPointer, from first: Int32) {
      posix_spawn_file_actions_addclosefrom_np(actions, first)
    }

    /// Closes all descriptors of this process but its standard streams.
    package static func closeOthers() { _ = close_range(3, UInt32.max, 0) }

    /// Ends this process when the thread that started it ends, also when that was killed.
    package static func endWithParent() { podget_end_with_parent(SIGTERM) }

    /// Lets all threads share one heap, which grows by at least so many bytes.
    package static func shareHeap(step: Int32) { podget_share_heap(step) }

    /// Waits for one of the signals, which are blocked in all threads.
    ///
    /// - Returns: its number, and whether the kernel sent it, as for a key of the terminal.
    package static func wait(
      for signals: inout sigset_t
    ) -> (number: Int32, isFromKernel: Bool) {
      var info = siginfo_t()
      let number = sigwaitinfo(&signals, &info)
      return (number, info.si_code == SI_KERNEL)
    }
  }

  // MARK: Sockets

  extension OperatingSystem {
    /// The flag of send(2) with which a reader that is gone raises no SIGPIPE.
    package static let noSignal = Int32(MSG_NOSIGNAL)

    /// How a socket carries bytes.
    package enum SocketKind: Sendable {
      case stream
      case datagrams

      fileprivate var number: UInt32 {
        let type = self == .stream ? SOCK_STREAM : SOCK_DGRAM
        return type.rawValue | SOCK_CLOEXEC.rawValue
      }
    }

    /// Makes a socket that is closed in programs that are started.
    ///
    /// - Returns: its descriptor, or -1 with errno set.
    package static func socket(
      _ family: Int32, _ kind: SocketKind, isNonBlocking: Bool = false
    ) -> Int32 {
      let flags = isNonBlocking ? SOCK_NONBLOCK.rawValue : 0
      return Glibc.socket(family, Int32(kind.number | flags), 0)
    }

    /// Makes two sockets that are connected with each other, both closed in programs that are started.
    ///
    /// - Returns: nil, with errno set, if that fails.
    package static func socketPair() -> (Int32, Int32)? {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SocketKind.stream.number), 0, &ends) == 0 else { return nil }
      return (ends[0], ends[1])
    }
  }

#endif
