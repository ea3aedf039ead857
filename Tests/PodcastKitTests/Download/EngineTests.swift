import Testing

/// Whole downloads over the real transport, one after another: each uses threads, sockets and the
/// disk as a whole run does, and some watch limits that a crowded machine would blur.
@Suite("Downloads", .serialized) enum EngineTests {}
