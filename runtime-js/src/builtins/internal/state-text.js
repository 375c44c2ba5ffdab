// States of a prompt as JSON texts, and back: how they outlast their process.
//
// What JSON has is written as it is. The rest is an object with the key `~`: `{"~": KIND, "of": [...]}`. So is an object of the
// author's with that key. An object that was written before, in the same state or in one before it, is
// `{"~": "ref", "of": [STATE, STEP, ...]}`; a step is a key or an index, or an index into `of`.
//
// | kind | of |
// | --- | --- |
// | `undefined`, `input` | nothing; the second is the prompt's input, as a dependency of an effect |
// | `number`, `bigint`, `box` | the digits, or `NaN`, `-0`, `Infinity`, `-Infinity`; what is in the box |
// | `date`, `regexp` | milliseconds; source and flags |
// | `map`, `set` | key, value, key, value …; the members |
// | `object`, `bare` | key, value …; the second has no prototype |
// | `array` | length, key, value …: one with holes, or with more than elements |
// | `buffer`, `view` | base64, maximal length; buffer, type, place, length |
// | `error`, `exception` | type, stack, key, value, whether it is enumerable …; message, name, stack, maybe cause |
export { readStates } from '../state-text/read.js';
export { writeStates } from '../state-text/write.js';
