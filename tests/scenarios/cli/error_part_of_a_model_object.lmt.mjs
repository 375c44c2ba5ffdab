// An error part of a model object ends with code 3.

const model = { doStream: async () => ({ stream: (async function* () { yield { type: 'text-start', id: '0' }; yield { type: 'text-delta', id: '0', delta: 'so far' }; yield { type: 'error', error: new Error('overloaded') }; })() }) };
export const config = { model };
export default ({ $ }) => { $`x`; };
