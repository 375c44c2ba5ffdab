#!/usr/bin/env node
// Starts the binary of this system's package; signals, the exit code and the standard streams are passed on.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { findBinary, notStarted } = require('../binary.js');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function fail(error) {
  process.stderr.write(`Error: ${error.message}\n`);
  process.exitCode = 1;
}

function start(binary) {
  const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
  // Ctrl-C reaches the binary from the terminal as well; it takes two signals at the same moment for one.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(notStarted(binary, error)));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
    if (!signal) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

try {
  start(findBinary());
} catch (error) {
  fail(error);
}
