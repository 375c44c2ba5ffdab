// Syntax that does not disappear with the types is refused with its place and a hint.

enum Colour { Red, Green }
export const config = { model: 'mock' };
export const mock = [];
export default () => {};
