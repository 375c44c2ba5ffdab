// A missing module is named, with the file that wants it.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import x from './nowhere.mjs';
export default ({ $ }) => { $`x`; };
