// Positions in a TypeScript file are those of the source.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
interface A {
  b: string;
}
export default ({ $ }: any) => {
  const a = undefined as unknown as A;
  console.log(a.b);
};
