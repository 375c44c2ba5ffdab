// The model mock without a mock array is an error that names it.

export const config = { model: 'mock' };
export default ({ $ }) => { $`x`; };
