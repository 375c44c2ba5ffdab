// A syntax error of a TypeScript file is shown at its place.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }: any) => {
  const x: number = = 5;
};
