// An option of the wrong kind is an error that names it: hook.

export const config = { model: 'mock', options: { onFinish: 'later' } };
export const mock = [{ type: 'text', text: 'x' }];
export default ({ $ }) => { $`x`; };
