// What tests are defined with, and their run; Rust calls `play` when the file is loaded.
export { afterAll, afterEach, beforeAll, beforeEach, describe, test } from './collect.js';
export { onTestFailed, onTestFinished, play, setGlobalExpect } from './play.js';
