package import FoundationEssentials

/// A list of subscriptions as podget keeps and exports it: OPML 2.0.
///
/// Reading keeps what podget does not know: attributes, outlines, other elements, comments. Only a
/// fault ends it. Reading what ``bytes()`` returned gives an equal document.
package struct OPMLDocument: Sendable, Hashable {
  /// The attributes of the root element, declarations of namespaces first.
  package var attributes: [OPMLAttribute]
  /// The title, the dates and the rest of the head.
  package var head = OPMLHead()
  /// What the body holds: outlines, comments, and what podget does not know.
  package var nodes: [OPMLNode] = []
  /// The attributes of the body.
  package var bodyAttributes: [OPMLAttribute] = []

  /// Comments and instructions before the root element.
  var prologue: [OPMLNode] = []
  /// What stands in the root element before the body, besides the head.
  var leading: [OPMLNode] = []
  /// What stands in the root element behind the body.
  var trailing: [OPMLNode] = []
  /// Comments and instructions behind the root element.
  var epilogue: [OPMLNode] = []

  /// The namespace of podget's own attributes.
  package static let namespace = "urn:podget:opml"
  /// The prefix that the namespace gets where it is not used otherwise.
  package static let prefix = "podget"

  /// Makes an empty list.
  package init(title: String, dateCreated: Date?) {
    attributes = [OPMLAttribute(local: "version", value: "2.0")]
    head.title = title
    head.dateCreated = dateCreated
  }

  init(attributes: [OPMLAttribute]) { self.attributes = attributes }

  /// The outlines of the body; those in them are theirs.
  package var outlines: [OPMLOutline] { nodes.compactMap(\.outline) }

  /// The list as UTF-8: an outline a line, two spaces for each level, valid OPML 2.0.
  ///
  /// Characters that XML forbids are left out. A namespace that is used and not declared is declared on
  /// the root element.
  package func bytes() -> [UInt8] { OPMLWriter.bytes(of: self) }
}

extension OPMLDocument {
  /// Reads a list that must be right: well-formed UTF-8 with the root element `opml` and a `body`.
  ///
  /// Throws ``OPMLError`` with the first fault. Nothing is repaired, but for what OPML 2.0 demands:
  /// the version, and `text` where an outline has only a title or no name.
  package init(reading bytes: [UInt8]) throws(OPMLError) {
    self = try OPMLReader.document(bytes)
  }
}
