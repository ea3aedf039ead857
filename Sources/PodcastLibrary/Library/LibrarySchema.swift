/// The tables of the index.
///
/// An index of an earlier version is not converted: everything is read from the folders again.
enum LibrarySchema {
  /// The `PRAGMA user_version` of an index with these tables; it grows with every change to them.
  static let version: Int64 = 9

  /// Creates the tables in an empty database.
  static func create(in db: SQLiteConnection) throws {
    try db.execute(tables)
    try db.execute("PRAGMA user_version = \(version)")
  }

  /// A folder owns its podcasts, and they own their episodes: all are inserted and deleted
  /// together, so the same podcast may exist once for each of its folders.
  ///
  /// The columns for lookups are in narrow rows, the rest is in `detail`. The numbers of a folder's
  /// episodes are in the order of its record. `line` says where that record has lines about an
  /// episode, by the number of its key. `lost` are files that are there, and that the record named once
  /// and does not name now.
  private static let tables = """
    CREATE TABLE folder (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      stamp TEXT,
      trace TEXT
    ) STRICT;
    CREATE TABLE line (
      folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
      key INTEGER NOT NULL,
      start INTEGER NOT NULL,
      length INTEGER NOT NULL,
      PRIMARY KEY (folder, key, start)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lost (
      folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
      file TEXT NOT NULL,
      PRIMARY KEY (folder, file)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE podcast (
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
      appleID INTEGER,
      title TEXT NOT NULL,
      author TEXT,
      feedURL TEXT,
      artworkURL TEXT,
      comparableTitle TEXT NOT NULL,
      comparableFeed TEXT
    ) STRICT;
    CREATE INDEX podcastByFolder ON podcast (folder);
    CREATE TABLE episode (
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL,
      podcast INTEGER NOT NULL REFERENCES podcast ON DELETE CASCADE,
      key TEXT NOT NULL,
      guid TEXT,
      title TEXT NOT NULL,
      stem TEXT NOT NULL,
      fileExtension TEXT NOT NULL,
      status TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      total INTEGER,
      appleID INTEGER,
      date REAL,
      duration REAL,
      downloadedAt REAL,
      removedAt REAL,
      isStarred INTEGER NOT NULL,
      isPlayed INTEGER NOT NULL,
      position INTEGER,
      isKept INTEGER NOT NULL,
      isOnlyListed INTEGER NOT NULL,
      editedTitle TEXT,
      editedDate REAL,
      inode INTEGER,
      otherBytes INTEGER,
      triedAt REAL
    ) STRICT;
    CREATE INDEX episodeByPodcast ON episode (podcast);
    CREATE INDEX episodeByKey ON episode (key);
    CREATE INDEX episodeByStem ON episode (stem);
    CREATE INDEX episodeByGUID ON episode (guid);
    CREATE INDEX episodeByAppleID ON episode (appleID);
    CREATE INDEX episodeByDate ON episode (coalesce(editedDate, date));
    CREATE TABLE detail (
      episode INTEGER PRIMARY KEY REFERENCES episode ON DELETE CASCADE,
      url TEXT NOT NULL,
      mimeType TEXT,
      announcedExtension TEXT,
      artworkURL TEXT,
      sha256 TEXT,
      kind TEXT NOT NULL,
      season INTEGER,
      number INTEGER,
      length INTEGER
    ) STRICT;
    """
}
