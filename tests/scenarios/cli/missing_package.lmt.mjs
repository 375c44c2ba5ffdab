// A package that is not installed is named.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import x from 'left-padding-deluxe';
export default ({ $ }) => { $`x`; };
