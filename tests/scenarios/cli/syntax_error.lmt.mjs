// A syntax error is shown with file, line, column and the line.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => {
  const x = ;
};
