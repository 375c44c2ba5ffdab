// A JSON import needs no attribute.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import data from './data.json';
export default ({ $ }) => { console.log(data.list.length); $`x`; };
