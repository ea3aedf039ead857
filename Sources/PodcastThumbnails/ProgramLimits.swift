import Glibc
import PodcastArtwork
internal import PodcastSystem

/// What this process may use.
enum ProgramLimits {
  /// Drops what decoding an image does not need: open files, and the right to more memory and time.
  static func apply() {
    OperatingSystem.closeOthers()
    set(RLIMIT_CORE, 0)
    set(RLIMIT_AS, rlim_t(ImageLimits.memory))
    // At the first limit it is ended by SIGXCPU, which says why.
    let seconds = rlim_t(ImageLimits.processorSeconds)
    set(RLIMIT_CPU, seconds, hard: seconds + 1)
  }

  /// Drops the right to open files, which loading a library needs.
  static func openNothing() { set(RLIMIT_NOFILE, 3) }

  private static func set(_ resource: __rlimit_resource, _ value: rlim_t, hard: rlim_t? = nil) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(resource.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_max = min(limit.rlim_max, hard ?? value)
    limit.rlim_cur = min(limit.rlim_cur, value)
    setrlimit(resource, &limit)
  }
}
