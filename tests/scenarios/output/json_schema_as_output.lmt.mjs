// Plain JSON Schema will do, and the answer need not be an object.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '["a", "b"]' }];
export const output = { type: 'array', items: { type: 'string' } };
export default async ({ $ }) => { $`x`; };
