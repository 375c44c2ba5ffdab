// A .lmt.js file is an ES module too.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];

const late = await Promise.resolve('top level');
export default ({ $ }) => { console.log(late); $`hi`; };
