// An error in the body is shown with its place and line.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => {
  const list = null;
  list.push(1);
};
