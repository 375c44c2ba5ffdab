// State shared by the execution and assertion halves: settings, and the running test.
import { settings as read } from 'lmthing:internal/native/testing';

/** `{file, snapshots, isCi, update, filter, timeout, hasSnapshots}`; undefined outside of `lmthing test`. */
export const settings = read();

let running;

/** The running attempt: `{name, attempt, context}`. */
export const current = () => running;

export const setCurrent = (test) => void (running = test);

let loaded;

/** The assertion half, if it is loaded. */
export const loadedExpect = () => loaded;

export const setExpect = (half) => void (loaded = half);
