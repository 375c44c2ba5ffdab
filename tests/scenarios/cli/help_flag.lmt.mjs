// --help prints usage to stdout.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => {};
