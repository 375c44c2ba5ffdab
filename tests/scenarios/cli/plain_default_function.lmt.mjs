// The default export may be a plain function.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default function prompt({ $ }) { $`x`; }
