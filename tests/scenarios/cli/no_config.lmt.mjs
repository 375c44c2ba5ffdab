// A file without config is an error that names it.

export default ({ $ }) => { $`x`; };
export const mock = [];
