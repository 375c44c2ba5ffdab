// Text of every script is streamed unharmed.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'naïve 日本 ' }, { type: 'text', text: '👩‍🚀 \u0000x\n' }, { type: 'text', text: 'end' }];
export default ({ $ }) => { $`x`; };
