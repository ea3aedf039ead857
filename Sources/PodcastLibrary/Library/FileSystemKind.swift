internal import CFiles
import PodcastTransfer

/// The properties of a folder's file system that matter for an index on it.
enum FileSystemKind {
  /// The `statfs(2)` numbers of file systems that other machines may be using at the same time: a
  /// lock works there, at best, but memory is not shared.
  private static let remoteNumbers: Set<UInt32> = [
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

  /// Whether other machines may be using the file system of a folder. False if the file system is
  /// not known.
  static func mayBeRemote(_ folder: OpenFile) -> Bool {
    remoteNumbers.contains(podget_file_system_kind(folder.number))
  }
}
