// config without a model is an error that names the model.

export const config = {};
export default ({ $ }) => { $`x`; };
