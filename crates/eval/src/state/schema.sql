-- Cells with an answer or a failure.
CREATE TABLE cells (
  row TEXT NOT NULL,          -- identifies the row by its input
  variant TEXT NOT NULL,
  model TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  source TEXT NOT NULL,       -- what answered: models, or the recording in their place
  number INTEGER NOT NULL,    -- in the command that asked it
  identity TEXT NOT NULL,     -- in the state of batches
  provenance TEXT NOT NULL,   -- of its variant
  failed INTEGER NOT NULL,
  line TEXT NOT NULL,         -- of OUT, without scores
  record TEXT NOT NULL,       -- what only scores read
  scores TEXT,                -- the last ones
  PRIMARY KEY (row, variant, model, repeat, source)
) STRICT;

-- Verdicts of judges.
CREATE TABLE verdicts (
  key TEXT PRIMARY KEY,
  verdict TEXT NOT NULL
) STRICT;
