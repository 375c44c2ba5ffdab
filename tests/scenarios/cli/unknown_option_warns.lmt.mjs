// An option nobody knows is reported on stderr; the run goes on.

export const config = { model: 'mock', options: { temprature: 1 } };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { $`x`; };
