/**
 * The tables of the index. Everything in it comes from the agents' stores, so there are no migrations: each version has
 * its own file. Increase the number with every change to a table or to what is written into it.
 */
export const CATALOG_VERSION = 6

export const tables = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- Folders that were listed, with their mtime at that time: a new file changes the mtime of its folder.
CREATE TABLE folder(agent TEXT, path TEXT, mtime REAL, PRIMARY KEY(agent, path)) WITHOUT ROWID;

-- Files and databases that were read, with the stamps of their files at that time.
CREATE TABLE source(id INTEGER PRIMARY KEY, agent TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
  UNIQUE(agent, path));
-- Those that could not be read, and are therefore read again each time: see RETRY in source-store.ts.
CREATE INDEX source_retry ON source(agent) WHERE stamp >= '!' AND stamp < '0';

CREATE TABLE session(
  key INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  store TEXT NOT NULL,             -- the agent whose store it is in; differs from agent for an archived copy
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  native_id TEXT NOT NULL,
  title TEXT, cwd TEXT, project TEXT,
  created_at TEXT, updated_at TEXT,
  messages INTEGER, tool_calls INTEGER,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, reasoning INTEGER,
  model TEXT, bytes INTEGER, path TEXT NOT NULL,
  resumable INTEGER, problems INTEGER, parent_session TEXT, forked_from TEXT, hidden INTEGER,
  revision TEXT NOT NULL,
  head TEXT NOT NULL,              -- the other fields of the head, as JSON
  scan TEXT,                       -- where counting an append-only file stopped, as JSON
  UNIQUE(source, native_id));
CREATE INDEX session_by_time ON session(updated_at DESC, source);
CREATE INDEX session_by_id ON session(id);
CREATE INDEX session_by_project ON session(project);
-- Those that are not listed by default, to count them.
CREATE INDEX session_unlisted ON session(project, parent_session, hidden, store, agent, id, updated_at)
  WHERE parent_session IS NOT NULL OR hidden = 1;

-- The stored overview (see select.ts) is right until a session changes.
CREATE TRIGGER session_inserted AFTER INSERT ON session BEGIN DELETE FROM meta WHERE key = 'overview'; END;
CREATE TRIGGER session_updated AFTER UPDATE ON session BEGIN DELETE FROM meta WHERE key = 'overview'; END;
CREATE TRIGGER session_deleted AFTER DELETE ON session BEGIN DELETE FROM meta WHERE key = 'overview'; END;

-- What could not be read, kept until the source is read again. Source 0: found while listing folders.
CREATE TABLE source_error(agent TEXT NOT NULL, source INTEGER NOT NULL, path TEXT NOT NULL, problem TEXT NOT NULL,
  code TEXT NOT NULL, errno TEXT);
CREATE INDEX source_error_by_source ON source_error(source);
`
