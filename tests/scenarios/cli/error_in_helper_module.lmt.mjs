// An error in an imported module is shown at its place there.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import { boom } from './lib/boom.mjs';
export default () => { boom(); };
