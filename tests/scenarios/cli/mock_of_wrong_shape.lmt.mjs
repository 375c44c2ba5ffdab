// A mock that is no array of items is an error.

export const config = { model: 'mock' };
export const mock = { type: 'text' };
export default ({ $ }) => { $`x`; };
