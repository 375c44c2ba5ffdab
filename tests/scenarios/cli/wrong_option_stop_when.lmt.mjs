// An option of the wrong kind is an error that names it: stop_when.

export const config = { model: 'mock', options: { stopWhen: 5 } };
export const mock = [{ type: 'text', text: 'x' }];
export default ({ $ }) => { $`x`; };
