// Relative .mjs, .js, .ts and .json imports work.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import { a } from './a.mjs';
import { b } from './lib/b.js';
import { c } from './c.ts';
import data from './data.json' with { type: 'json' };
export default ({ $ }) => { console.log(a, b, c, data.n); $`x`; };
