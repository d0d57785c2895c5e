/**
 * The catalogue's tables. It holds no fact of its own, so there are no migrations: another version is built anew.
 * Raise the number with every change of a table or of what is put into it.
 */
export const CATALOG_VERSION = 3

export const tables = `
CREATE TABLE note(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- Folders that were listed, with their time then: a new file makes its folder newer.
CREATE TABLE folder(agent TEXT, path TEXT, mtime REAL, PRIMARY KEY(agent, path)) WITHOUT ROWID;

-- What was looked at, with the stamps of its files then.
CREATE TABLE source(id INTEGER PRIMARY KEY, agent TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
  UNIQUE(agent, path));
-- Those that could not be read and are looked at again each time: see source-stamp.ts.
CREATE INDEX source_again ON source(agent) WHERE stamp >= '!' AND stamp < '0';

CREATE TABLE session(
  key INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  store TEXT NOT NULL,             -- the agent whose store it was found in; an archived copy has another agent
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
  head TEXT NOT NULL,              -- what else the head says, as JSON
  scan TEXT,                       -- where counting a file of lines stopped, as JSON
  text_revision TEXT,              -- revision whose text is in the index
  text_scan TEXT,                  -- where taking its text stopped, as JSON
  UNIQUE(source, native_id));
CREATE INDEX session_by_time ON session(updated_at DESC);
CREATE INDEX session_by_id ON session(id);
CREATE INDEX session_unindexed ON session(updated_at DESC) WHERE text_revision IS NOT revision;

-- What could not be read, kept until the source is looked at again. Source 0: met while listing folders.
CREATE TABLE trouble(agent TEXT NOT NULL, source INTEGER NOT NULL, path TEXT NOT NULL, problem TEXT NOT NULL);
CREATE INDEX trouble_by_source ON trouble(source);

-- One row per text in the index. The row id is made from the time, so that newest first needs no sorting.
CREATE TABLE passage(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, place INTEGER NOT NULL, role INTEGER NOT NULL);
CREATE INDEX passage_by_session ON passage(session, place);
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
-- Larger pieces, merged more rarely: nearly twice as fast to build, and no slower to ask.
INSERT INTO words(words, rank) VALUES('hashsize', 8388608);
INSERT INTO words(words, rank) VALUES('automerge', 16);
`
