// Prompt states as JSON texts, for runs that resume in another process.
//
// Values that JSON can express are written as they are. Others are an object with the key `~`: `{"~": KIND, "of": [...]}`, as is
// an object of the author's with that key. An object that was already written, in the same state or an earlier one, is
// `{"~": "ref", "of": [STATE, STEP, ...]}`; a step is a key or an index, or an index into `of`.
//
// | kind | of |
// | --- | --- |
// | `undefined`, `input` | nothing; `input` is the prompt's input, as a dependency of an effect |
// | `number`, `bigint`, `box` | the digits, or `NaN`, `-0`, `Infinity`, `-Infinity`; the boxed value |
// | `date`, `regexp` | milliseconds; source and flags |
// | `map`, `set` | key, value, key, value …; the members |
// | `object`, `bare` | key, value …; `bare` has no prototype |
// | `array` | length, key, value …: one with holes or additional properties |
// | `buffer`, `view` | base64, maximal length; buffer, type, offset, length |
// | `error`, `exception` | type, stack, key, value, whether it is enumerable …; message, name, stack, optionally cause |
export { readStates } from '../state-text/read.js';
export { writeStates } from '../state-text/write.js';
