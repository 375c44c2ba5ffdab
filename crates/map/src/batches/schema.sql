-- Ids are not used again, as those of batches and requests are names at the provider.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows that are not finished.
CREATE TABLE rows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  row INTEGER NOT NULL,           -- its number in the command that ran it last
  hash TEXT NOT NULL,             -- of its target and input
  input TEXT NOT NULL,
  stage TEXT NOT NULL,            -- running, waiting, ready
  claimed INTEGER NOT NULL,       -- whether this command has found it in its input
  attempt INTEGER NOT NULL DEFAULT 1,
  failures INTEGER NOT NULL DEFAULT 0,
  usage TEXT NOT NULL DEFAULT '{}',  -- of earlier attempts
  cost REAL DEFAULT 0,
  began INTEGER NOT NULL,         -- milliseconds since 1970
  worked INTEGER NOT NULL DEFAULT 0  -- milliseconds at work, in the runs that the next one continues
) STRICT;
CREATE INDEX rows_by_stage ON rows (stage, claimed, row);
CREATE INDEX rows_by_hash ON rows (hash, claimed, row);

-- Services that answer requests.
CREATE TABLE targets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL UNIQUE
) STRICT;

-- Requests of these rows.
CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  row INTEGER NOT NULL,           -- rows.id
  key TEXT NOT NULL,              -- place
  step INTEGER NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,           -- of the body
  target INTEGER NOT NULL,
  model TEXT NOT NULL,
  body TEXT,                      -- until it is answered
  bytes INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,  -- how many at its place have failed before
  batch INTEGER,                  -- that it is, or was, in
  held INTEGER NOT NULL DEFAULT 0,   -- left to the next command
  outcome TEXT,                   -- answered, failed; unset until then
  status INTEGER,
  answer TEXT                     -- the body of the answer, or why there is none
) STRICT;
CREATE INDEX requests_of_row ON requests (row);
CREATE INDEX requests_of_batch ON requests (batch, id);

CREATE TABLE batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target INTEGER NOT NULL,
  new TEXT NOT NULL,
  stage TEXT NOT NULL,            -- made, uploading, uploaded, creating, created, ended, collected
  file TEXT,                      -- the uploaded file
  remote TEXT,                    -- the batch at the provider
  status TEXT,
  cancelled INTEGER NOT NULL DEFAULT 0  -- by lmthing: 1 when the provider is to be asked, 2 when it has been
) STRICT;

-- What rows have done, so that it is not repeated.
CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  row INTEGER NOT NULL,           -- rows.id
  key TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX entries_of_row ON entries (row);
