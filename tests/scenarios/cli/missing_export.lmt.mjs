// An import that the module does not have is named.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import { runPromt } from 'lmthing';
export default ({ $ }) => { $`x`; };
