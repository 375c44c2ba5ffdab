// A syntax error below syntax that is compiled is shown at its place.

enum Colour { Red }
export const config = { model: 'mock' };
export const mock = [];
export default () => {
  const colour: Colour = Colour.;
};
