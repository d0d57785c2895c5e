/**
 * The tables of the index. Everything in it comes from the agents' stores, so there are no migrations: each version has
 * its own file. Increase the number with every change to a table or to what is written into it.
 */
export const CATALOG_VERSION = 8

const described = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- Folders that were listed, with their mtime at that time: a new file changes the mtime of its folder.
CREATE TABLE folder(agent TEXT, path TEXT, mtime REAL, PRIMARY KEY(agent, path)) WITHOUT ROWID;

-- Files and databases that were read, with the stamps of their files at that time.
CREATE TABLE source(id INTEGER PRIMARY KEY, agent TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
  UNIQUE(agent, path));
-- Those that could not be read, and are therefore read again each time: see RETRY in source-store.ts.
CREATE INDEX source_retry ON source(agent) WHERE stamp >= '!' AND stamp < '0';

-- One row per session; the view \`session\` has every value in its place. NULL where a value is the usual one, since at a
-- hundred thousand sessions most of the index would be repetitions.
CREATE TABLE stored_session(
  key INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  store TEXT NOT NULL,             -- the agent whose store it is in; differs from agent for an archived copy
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  native_id TEXT,                  -- NULL: the id
  title TEXT, cwd TEXT,
  project TEXT,                    -- NULL: the cwd
  created_at TEXT, updated_at TEXT,
  messages INTEGER, tool_calls INTEGER,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, reasoning INTEGER,
  model TEXT, bytes INTEGER,
  path TEXT,                       -- NULL: that of the source
  resumable INTEGER, problems INTEGER, parent_session TEXT, forked_from TEXT, hidden INTEGER,
  revision TEXT NOT NULL,
  head TEXT NOT NULL,              -- the other fields of the head, as JSON
  scan TEXT);                      -- where counting a large append-only file stopped, as JSON
CREATE INDEX session_by_source ON stored_session(source);
CREATE VIEW session AS SELECT key, source, store, id, agent, ifnull(native_id, id) AS native_id, title, cwd,
  ifnull(project, cwd) AS project, created_at, updated_at, messages, tool_calls, input, output, cache_read, cache_write,
  reasoning, model, bytes, ifnull(path, (SELECT path FROM source WHERE id = stored_session.source)) AS path,
  resumable, problems, parent_session, forked_from, hidden, revision, head, scan FROM stored_session;

-- The stored overview (see select.ts) is right until a session changes.
CREATE TRIGGER session_inserted AFTER INSERT ON stored_session BEGIN DELETE FROM meta WHERE key = 'overview'; END;
CREATE TRIGGER session_updated AFTER UPDATE ON stored_session BEGIN DELETE FROM meta WHERE key = 'overview'; END;
CREATE TRIGGER session_deleted AFTER DELETE ON stored_session BEGIN DELETE FROM meta WHERE key = 'overview'; END;

-- The model calls of each session, as its events report them: see packed-calls.ts. A call that other sessions repeat is in each of
-- them; settle.ts decides which one counts. What is appended to a large session is a further part.
CREATE TABLE session_calls(part INTEGER PRIMARY KEY, session INTEGER NOT NULL, calls BLOB NOT NULL);
CREATE INDEX calls_by_session ON session_calls(session);
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- What could not be read, kept until the source is read again. Source 0: found while listing folders.
CREATE TABLE source_error(agent TEXT NOT NULL, source INTEGER NOT NULL, path TEXT NOT NULL, problem TEXT NOT NULL,
  code TEXT NOT NULL, errno TEXT);
CREATE INDEX source_error_by_source ON source_error(source);
`

/** Without the comments, which SQLite would store, and parse each time the index is opened. */
export const tables: string = described.replace(/ *--.*$/gm, '')

/**
 * Created at the end of the first refresh: keeping them up to date for every row of a first fill takes as long as writing
 * the rows. Until then queries are slower, with the same answers.
 */
export const lateIndexes = `
CREATE INDEX IF NOT EXISTS session_by_time ON stored_session(updated_at DESC, source);
CREATE INDEX IF NOT EXISTS session_by_id ON stored_session(id);
CREATE INDEX IF NOT EXISTS session_by_project ON stored_session(ifnull(project, cwd));
-- Those that are not listed by default, to count them.
CREATE INDEX IF NOT EXISTS session_unlisted
  ON stored_session(ifnull(project, cwd), parent_session, hidden, store, agent, id, updated_at)
  WHERE parent_session IS NOT NULL OR hidden = 1;
`
