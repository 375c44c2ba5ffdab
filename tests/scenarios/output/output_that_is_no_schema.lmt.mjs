// An output that is no schema is an error of the file, before any request.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'x' }];
export const output = 'an object';
export default async ({ $ }) => { $`x`; };
