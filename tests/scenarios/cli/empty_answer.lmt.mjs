// An empty answer prints nothing but a newline.

export const config = { model: 'mock' };
export const mock = [];
export default ({ $ }) => { $`x`; };
