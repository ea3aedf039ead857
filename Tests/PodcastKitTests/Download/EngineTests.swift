import Testing

/// Complete downloads over the real transport, one after another: each uses threads, sockets and the
/// disk as a complete run does, and some measure limits that a busy machine would distort.
@Suite("Downloads", .serialized) enum EngineTests {}
