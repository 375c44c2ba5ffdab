// An unhandled rejection ends with code 1.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { Promise.reject(new Error('nobody cared')); $`x`; };
