/// The response to one request for a file: decided before the first byte.
struct FileResponse {
  var file: Representation
  var status: Int
  var range: Range<Int64>
  var fields: [Request.Field]
  var isChunked: Bool
  var endsConnection: Bool

  init(to request: Request, for file: Representation, behaving behaviour: Behaviour) {
    let sent = Validators(of: file, sent: behaviour.validators)
    let selection = Self.select(request, from: file.size, against: sent, behaving: behaviour)
    self.file = file
    fields = [
      HTTPDate.field(), Request.Field("Accept-Ranges", behaviour.ignoresRange ? "none" : "bytes"),
    ]
    switch selection {
    case .whole:
      status = 200
      range = 0..<file.size
    case .part(let part):
      status = 206
      range = part
    case .unsatisfiable:
      status = 416
      range = 0..<0
    }
    switch (behaviour.contentRange, status) {
    case (.correct, 206):
      let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
      fields.append(Request.Field("Content-Range", text))
    case (.correct, 416):
      fields.append(Request.Field("Content-Range", "bytes */\(file.size)"))
    case (.text(let text), _):
      fields.append(Request.Field("Content-Range", text))
    case (.missing, _), (.correct, _):
      break
    }
    if status != 416 {
      fields.append(Request.Field("Content-Type", file.contentType))
      if let etag = sent.etag { fields.append(Request.Field("ETag", etag)) }
      if let date = sent.lastModified { fields.append(Request.Field("Last-Modified", date)) }
    }
    let length = Int64(range.count)
    switch behaviour.framing {
    case .contentLength:
      fields.append(Request.Field("Content-Length", "\(behaviour.contentLength ?? length)"))
    case .chunked: fields.append(Request.Field("Transfer-Encoding", "chunked"))
    case .untilClose: fields.append(Request.Field("Connection", "close"))
    }
    fields += behaviour.fields
    isChunked = behaviour.framing == .chunked
    endsConnection =
      behaviour.framing == .untilClose || behaviour.contentLength.map { $0 != length } ?? false
    status = behaviour.status ?? status
  }
}

extension FileResponse {
  /// The validators as they are sent.
  private struct Validators {
    var etag: String?
    var lastModified: String?

    init(of file: Representation, sent: Behaviour.Validators) {
      switch sent {
      case .all, .etagOnly: etag = file.etag
      case .weakETag, .weakETagOnly: etag = file.etag.map { "W/\($0)" }
      case .lastModifiedOnly, .none: etag = nil
      }
      switch sent {
      case .all, .weakETag, .lastModifiedOnly: lastModified = file.lastModified
      case .etagOnly, .weakETagOnly, .none: lastModified = nil
      }
    }

    /// Strong comparison of tags, exact comparison of dates (RFC 9110, 13.1.5).
    func fulfil(_ condition: String) -> Bool {
      guard !condition.hasPrefix("W/") else { return false }
      return condition == etag || condition == lastModified
    }
  }

  private enum Selection {
    case whole
    case part(Range<Int64>)
    case unsatisfiable
  }

  private static func select(
    _ request: Request, from size: Int64, against validators: Validators,
    behaving behaviour: Behaviour
  ) -> Selection {
    guard !behaviour.ignoresRange, let asked = request.range, size > 0 else { return .whole }
    if let condition = request.first("If-Range"), !behaviour.ignoresIfRange,
      !validators.fulfil(condition)
    {
      return .whole
    }
    var part: Range<Int64>
    switch asked {
    case .from(let first): part = first..<max(first, size)
    case .closed(let first, let last): part = first..<max(first, min(last, size - 1) + 1)
    case .last(let count): part = max(0, size - count)..<size
    }
    guard !part.isEmpty else { return .unsatisfiable }
    let start = min(max(0, part.lowerBound + behaviour.rangeShift), size - 1)
    part = start..<max(start + 1, part.upperBound)
    if let limit = behaviour.rangeLimit { part = start..<min(part.upperBound, start + limit) }
    return .part(part)
  }
}
