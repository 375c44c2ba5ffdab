// An unknown option is reported on stderr; the run continues.

export const config = { model: 'mock', options: { temprature: 1 } };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { $`x`; };
