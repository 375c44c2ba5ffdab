// An error in an imported TypeScript file is shown at its place in the source.

import { work } from './work.ts';
export const config = { model: 'mock' };
export const mock = [];
export default () => { work({ n: 1 }); };
