#!/usr/bin/env node
// Starts the binary of this system's package; signals, the exit code and the standard streams are passed on.
'use strict';
const { findBinary, notStarted, spawnBinary } = require('../binary.js');

function fail(error) {
  process.stderr.write(`Error: ${error.message}\n`);
  process.exitCode = 1;
}

function start(binary) {
  let child;
  // Before it starts, so that no signal ends this process alone. Ctrl-C reaches the binary from the terminal as well: two
  // signals at the same moment count as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child = spawnBinary(binary, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (error) => fail(notStarted(binary, error)));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.exitCode = 128 + require('node:os').constants.signals[signal];
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

try {
  start(findBinary());
} catch (error) {
  fail(error);
}
