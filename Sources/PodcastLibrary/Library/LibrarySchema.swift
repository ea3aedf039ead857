internal import GRDB

/// The tables of the index, and how those of an earlier podget become those of this one.
///
/// Migrations are only ever added, under names that stay. Since everything can be read from the
/// folders again, a migration may simply drop what it would be hard to convert.
enum LibrarySchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("folders, podcasts and episodes") { db in
      try db.execute(sql: foldersPodcastsAndEpisodes)
    }
    return migrator
  }

  /// A folder owns the rows of what is in it: they come and go together, so the same podcast may
  /// stand there once for each of its folders.
  private static let foldersPodcastsAndEpisodes = """
    CREATE TABLE folder (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      recordsDevice INTEGER,
      recordsInode INTEGER,
      recordsSize INTEGER,
      recordsModified INTEGER,
      recordsChanged INTEGER,
      isSettled INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE podcast (
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
      appleID INTEGER,
      title TEXT NOT NULL,
      author TEXT,
      feedURL TEXT,
      artworkURL TEXT
    ) STRICT;
    CREATE INDEX podcastByFolder ON podcast (folder);
    CREATE TABLE episode (
      folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE,
      position INTEGER NOT NULL,
      podcast INTEGER NOT NULL,
      key TEXT NOT NULL,
      appleID INTEGER,
      guid TEXT,
      title TEXT NOT NULL,
      date REAL,
      duration REAL,
      season INTEGER,
      number INTEGER,
      kind TEXT NOT NULL,
      url TEXT NOT NULL,
      length INTEGER,
      mimeType TEXT,
      announcedExtension TEXT,
      artworkURL TEXT,
      stem TEXT NOT NULL,
      fileExtension TEXT NOT NULL,
      status TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      total INTEGER,
      downloadedAt REAL,
      sha256 TEXT,
      isStarred INTEGER NOT NULL,
      removedAt REAL,
      PRIMARY KEY (folder, position)
    ) STRICT, WITHOUT ROWID;
    """
}
