// An error at load is shown with its place and line.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
const settings = undefined;
console.log(settings.name);
export default ({ $ }) => { $`x`; };
