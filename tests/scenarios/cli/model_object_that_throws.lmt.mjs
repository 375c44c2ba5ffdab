// A model object whose doStream throws ends with code 3.

export const config = { model: { doStream: async () => { throw new Error('no connection'); } } };
export default ({ $ }) => { $`x`; };
