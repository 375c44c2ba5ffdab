// Syntax that produces code is compiled, and errors below it show the lines of the file.

enum Colour { Red, Green = 'green' }

namespace Names {
  export let count = 0;
  export function next(): string { return `name ${++count}`; }
}

class Person {
  constructor(private readonly name: string, public colour = Colour.Red) {}
  greet = (): string => `${this.name} likes ${Colour[Colour.Red]} and ${Colour.Green}`;
}

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }: any) => {
  console.log(new Person('Ann').greet(), Names.next(), Names.next());
  const here = new Error('here').stack!.split('\n')[1].split('/').pop();
  console.log(here);
  const ü = 'ü'; throw new RangeError(<string>ü);
};
