// An error in an effect ends with code 1 and its place.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ defEffect, $ }) => {
  defEffect(() => {
    throw new TypeError('effect trouble');
  });
  $`x`;
};
