// What the half that runs tests and the half that expects things share: what is set for the file, and which test is running.
import { settings as read } from 'lmthing:internal/native/testing';

/** `{file, snapshots, isCi, update, filter, timeout, hasSnapshots}`; undefined outside of `lmthing test`. */
export const settings = read();

let running;

/** The attempt at a test that is under way: `{name, attempt, context}`. */
export const current = () => running;

/** Sets it. */
export const setCurrent = (test) => void (running = test);

let loaded;

/** The half that expects things, once something was expected. */
export const loadedExpect = () => loaded;

/** Remembers it. */
export const setExpect = (half) => void (loaded = half);
