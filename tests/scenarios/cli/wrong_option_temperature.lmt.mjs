// An option of the wrong kind is an error that names it: temperature.

export const config = { model: 'mock', options: { temperature: 'hot' } };
export const mock = [{ type: 'text', text: 'x' }];
export default ({ $ }) => { $`x`; };
