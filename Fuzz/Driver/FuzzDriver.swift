import CFuzzer
import Dispatch
import Glibc

/// Runs the target that `PODGET_FUZZ_TARGET` names under libFuzzer, whose options the arguments are.
@main
enum FuzzDriver {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments) { runInput($0, $1) })
  }

  fileprivate static let target: FuzzTarget = {
    let name = getenv("PODGET_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let known = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      fatalError("PODGET_FUZZ_TARGET is \"\(name)\" and not one of: \(known)")
    }
    return target
  }()
}

/// The function that libFuzzer's own main would call; that main is linked in but never reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await FuzzDriver.target.run(bytes)
    } catch {
      // A trap is what libFuzzer keeps the input for.
      fatalError("\(error)")
    }
    isDone.signal()
  }
  isDone.wait()
  return 0
}
