// --version works on the command as well.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => {};
