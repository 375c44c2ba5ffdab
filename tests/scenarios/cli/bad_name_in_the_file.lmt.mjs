// A bad definition name is an error with its place.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ def, $ }) => {
  def('my name', 'x');
  $`x`;
};
