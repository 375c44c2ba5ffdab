// An option of the wrong kind is an error that names it: tokens.

export const config = { model: 'mock', options: { maxOutputTokens: -1 } };
export const mock = [{ type: 'text', text: 'x' }];
export default ({ $ }) => { $`x`; };
