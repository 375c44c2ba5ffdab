// A directory is no prompt file.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => {};
