// A default export that is no function is an error.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default { prompt: 'x' };
