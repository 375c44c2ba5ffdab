-- A run, with the sums of what it has used so far.
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  started INTEGER NOT NULL,  -- milliseconds since 1970, like all times
  updated INTEGER NOT NULL,
  ended INTEGER,
  status TEXT NOT NULL,      -- running, done, failed, limit, interrupted
  steps INTEGER NOT NULL DEFAULT 0,  -- of the file's own prompt
  all_steps INTEGER NOT NULL DEFAULT 0,
  usage TEXT NOT NULL DEFAULT '{}',
  cost REAL NOT NULL DEFAULT 0,
  cost_unknown INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  error TEXT,
  origin TEXT,               -- {run, step}: the run that this one goes on from
  owner TEXT,                -- the process that runs it
  heartbeat INTEGER
) STRICT;

-- What a run was started with, written once.
CREATE TABLE starts (
  run INTEGER PRIMARY KEY,
  start TEXT NOT NULL
) STRICT;

-- What has happened, a line of JSON each. `at` is run * 2^32 + place; events and entries of a run share its places.
CREATE TABLE events (
  at INTEGER PRIMARY KEY,
  line TEXT NOT NULL
) STRICT;

-- What has been done, by whom: the key of a prompt's run.
CREATE TABLE entries (
  at INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;

-- The numbers that events have for the keys.
CREATE TABLE agents (
  run INTEGER NOT NULL,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
