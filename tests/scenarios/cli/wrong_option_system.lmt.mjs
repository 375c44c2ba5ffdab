// An option of the wrong kind is an error that names it: system.

export const config = { model: 'mock', options: { system: 5 } };
export const mock = [{ type: 'text', text: 'x' }];
export default ({ $ }) => { $`x`; };
