// config.options that are no object are an error.

export const config = { model: 'mock', options: [1] };
export const mock = [];
export default ({ $ }) => { $`x`; };
