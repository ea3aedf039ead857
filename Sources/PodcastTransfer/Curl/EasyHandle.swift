internal import CCurl

/// Owns one libcurl easy handle with everything that libcurl keeps only a pointer to.
///
/// It is used only on the loop thread; a noncopyable type makes sure that it is freed once.
struct EasyHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  /// Whether libcurl accepted every header field and every option. Otherwise the transfer must not
  /// start: without its `If-Range`, for example, it could join two versions.
  private(set) var isComplete = true
  private let headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  /// Sets up a request. The callbacks get `context`, which must outlive the handle.
  init?(
    _ request: HTTPRequest, configuration: CurlSession.Configuration,
    context: UnsafeMutableRawPointer
  ) {
    guard let easy = podget_easy_init() else { return nil }
    pointer = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    var list: UnsafeMutablePointer<curl_slist>?
    for field in request.headers {
      guard let longer = podget_slist_append(list, "\(field.name): \(field.value)") else {
        // The list is unchanged; it is freed with the handle.
        isComplete = false
        break
      }
      list = longer
    }
    headers = list

    set(CURLOPT_URL, request.url)
    set(CURLOPT_HTTPGET, 1)
    if let body = request.body {
      set(CURLOPT_POST, 1)
      set(CURLOPT_COPYPOSTFIELDS, body)
    }
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    // A proxy's answer to CONNECT is not the server's.
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_NOSIGNAL, 1)
    // Without this option, removing a handle during a name lookup blocks the loop for seconds.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectTimeout.wholeMilliseconds))
    set(CURLOPT_BUFFERSIZE, Self.bufferSize(configuration.bytesPerSecond))
    set(CURLOPT_NOPROGRESS, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // libcurl would send the entry that is for all hosts to any of them.
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    if let login = configuration.netrcLogin(for: request.url) {
      set(CURLOPT_USERNAME, login.user)
      set(CURLOPT_PASSWORD, login.password)
    }
    set(CURLOPT_USERAGENT, configuration.userAgent)
    if let file = configuration.certificateFile { set(CURLOPT_CAINFO, file) }
    if let proxy = configuration.proxy {
      set(CURLOPT_PROXY, proxy)
      // Otherwise the environment's no_proxy would be used here too.
      set(CURLOPT_NOPROXY, "")
    }
    if request.acceptsCodings { set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
    // libcurl does not notice that the end of a coding is missing, so podget decodes itself.
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    if let start = request.rangeStart { set(CURLOPT_RANGE, "\(start)-") }
    require(podget_setopt_list(easy, CURLOPT_HTTPHEADER, headers))
    require(podget_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    require(podget_setopt_pointer(easy, CURLOPT_HEADERDATA, context))
    require(podget_setopt_pointer(easy, CURLOPT_WRITEDATA, context))
    require(podget_setopt_callback(easy, CURLOPT_HEADERFUNCTION, receiveHeaderLine))
    require(podget_setopt_callback(easy, CURLOPT_WRITEFUNCTION, receiveBody))
  }

  deinit {
    podget_easy_cleanup(pointer)
    podget_slist_free_all(headers)
    errorText.deallocate()
  }

  /// libcurl's own description of the last error; otherwise the standard text for the code.
  func errorDescription(_ code: CURLcode) -> String {
    errorText.pointee == 0
      ? String(cString: podget_easy_strerror(code)) : String(cString: errorText)
  }

  /// The status of a proxy's last answer to CONNECT; 0 without one.
  var connectStatus: Int {
    var status = 0
    let code = podget_getinfo_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status)
    return code == CURLE_OK ? status : 0
  }

  /// The system's number of the error that the last attempt to connect ended with; 0 without one.
  var systemError: Int32 {
    var number = 0
    let code = podget_getinfo_long(pointer, CURLINFO_OS_ERRNO, &number)
    return code == CURLE_OK ? Int32(clamping: number) : 0
  }

  /// Stops or resumes reading from the connection. Resuming may deliver bytes immediately, and then
  /// the result may be that they were refused.
  func pauseReceiving(_ paused: Bool) -> CURLcode {
    let code = podget_easy_pause(pointer, paused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    // If there is no connection yet, the write callback pauses when there is one.
    return code == CURLE_BAD_FUNCTION_ARGUMENT ? CURLE_OK : code
  }

  /// A large buffer saves system calls; with a rate limit it would cause bursts.
  private static func bufferSize(_ bytesPerSecond: Int64?) -> Int {
    let most: Int64 = 128 * 1024
    guard let bytesPerSecond else { return Int(most) }
    return Int(min(most, max(16 * 1024, bytesPerSecond / 50)))
  }

  private mutating func set(_ option: CURLoption, _ value: Int) {
    require(podget_setopt_long(pointer, option, value))
  }

  private mutating func set(_ option: CURLoption, _ value: String) {
    require(podget_setopt_string(pointer, option, value))
  }

  private mutating func set(_ option: CURLoption, _ value: [UInt8]) {
    // libcurl copies it.
    let text = (value + [0]).map { CChar(truncatingIfNeeded: $0) }
    require(podget_setopt_string(pointer, option, text))
  }

  private mutating func require(_ code: CURLcode) {
    if code != CURLE_OK { isComplete = false }
  }
}

/// C calls these on the loop thread. They are defined here, outside any isolation: a closure from
/// main-actor code would trap on another thread.
private func receiveHeaderLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let transfer = Unmanaged<ActiveTransfer>.fromOpaque(context)
  return transfer._withUnsafeGuaranteedRef { $0.receive(headerLine: line) } ? line.count : -1
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let transfer = Unmanaged<ActiveTransfer>.fromOpaque(context)
  return transfer._withUnsafeGuaranteedRef { $0.receive(body: body) }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// Seconds as a number.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
