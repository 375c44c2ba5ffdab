// `node:assert`: the npm package taken from Node's own source.
import assert from 'assert';
import { brand } from '../shared/brand.js';

brand(assert.AssertionError, 'AssertionError', false);

export const { AssertionError, deepEqual, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, equal, fail, ifError, match, notDeepEqual, notDeepStrictEqual, notEqual, notStrictEqual, ok, rejects, strict, strictEqual, throws } = assert;
export default assert;
