internal import CFiles
import FoundationEssentials
import PodcastArtwork
import PodcastModel
import PodcastTransfer

/// The artwork of podcasts in a folder that the user named, as `podget artwork --export` writes it: a
/// file with the podcast's title as its name, or with that of its published folder.
struct PublicationArtworks {
  /// The image of a podcast.
  struct Image {
    /// Its name in the podcast's published folder.
    let name: String
    fileprivate let file: String
    fileprivate let path: String
    fileprivate let folder: OpenFile

    /// Its bytes.
    ///
    /// - Parameter print: what they were before; nil the first time.
    /// - Throws: a ``PodgetError`` if they are not those, or not of a complete image of the kind that its name
    ///   says.
    func bytes(_ print: FilePrint? = nil) throws(PodgetError) -> [UInt8] {
      let full = LibraryPath.join(path, file)
      // What somebody else may have put there could name any image of this user.
      guard folder.status(of: file)?.is_link != true else {
        throw PodgetError(.disk, "\(full) is a link; artwork is read from files only.")
      }
      let data: Data
      do throws(DiskError) {
        data = try OpenFile.ownContents(file, in: folder, limit: Int64(ImageLimits.bytes))
      } catch {
        throw error.at(error.operation, full).podgetError
      }
      let bytes = Array(data)
      let format: ImageFormat
      do throws(ImageRefusal) {
        format = try ImageFormat(complete: bytes)
      } catch {
        throw PodgetError(.decoding, "\(full) cannot be published: \(error.explanation).")
      }
      guard format == (name.hasSuffix(".png") ? .png : .jpeg) else {
        throw PodgetError(.decoding, "\(full) is not an image of the kind that its name says.")
      }
      guard print == nil || print == FilePrint(text: bytes) else {
        throw PodgetError(.disk, "\(full) is being changed.")
      }
      return bytes
    }
  }

  /// The names that images can have in a podcast's published folder.
  static let names = ["artwork.png", "artwork.jpg"]

  /// The images in the order of the podcasts; nil where there is none.
  let images: [Image?]

  /// Looks for the images of podcasts, first by their titles. A title that several of them have says
  /// nothing, and a folder's name that is another podcast's title stands for that one.
  ///
  /// - Throws: a ``PodgetError`` if there is no such folder.
  init(_ path: String, of shows: [PublicationPlan.Show]) throws(PodgetError) {
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.folder(path, creating: false)
    } catch {
      throw error.at("open", path).podgetError
    }
    let titles = shows.map { FileName.component($0.podcast.shownTitle) }
    var counts: [String: Int] = [:]
    for title in titles { counts[title.lowercased(), default: 0] += 1 }
    images = zip(shows, titles).map { show, title in
      let name = show.published.name.text
      let stems = [title, name].filter { stem in
        let isTitle = stem.lowercased() == title.lowercased()
        return counts[stem.lowercased(), default: 0] == (isTitle ? 1 : 0)
      }
      for stem in stems {
        for (ending, name) in [
          ("png", "artwork.png"), ("jpg", "artwork.jpg"), ("jpeg", "artwork.jpg"),
        ] where folder.status(of: "\(stem).\(ending)").map({ $0.is_regular || $0.is_link }) == true
        {
          return Image(name: name, file: "\(stem).\(ending)", path: path, folder: folder)
        }
      }
      return nil
    }
  }
}
