// SQLite, with a macro that Swift cannot import as a function.
#ifndef PODGET_CSQLITE_SHIM_H
#define PODGET_CSQLITE_SHIM_H

#include <sqlite3.h>

// The text is copied.
static inline int podget_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

// Texts in double quotes are names and nothing else.
static inline void podget_refuse_quoted_strings(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}

// For a database from anywhere: functions in its schema can do no harm, no value is longer than 16 MiB, and
// all its statements together end after about a minute's work, which left counts as long as it is open.
static inline int podget_count_work(void *left) { return --*(long *)left < 0; }

static inline void podget_distrust(sqlite3 *database, long *left) {
  *left = 5000;
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_progress_handler(database, 1000000, podget_count_work, left);
}

#endif
