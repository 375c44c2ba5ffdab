// Test definition and execution; Rust calls `play` when the file is loaded.
export { onTestFailed, onTestFinished, setGlobalExpect } from './attempt.js';
export { afterAll, afterEach, aroundAll, aroundEach, beforeAll, beforeEach, describe, test } from './collect.js';
export { play } from './play.js';
