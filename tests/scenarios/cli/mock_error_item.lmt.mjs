// A failing model ends with code 3; what was streamed stays.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'half an ' }, { type: 'error', error: 'the line broke' }];
export default ({ $ }) => { $`x`; };
