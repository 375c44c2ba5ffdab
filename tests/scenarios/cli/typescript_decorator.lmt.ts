// Decorators of the language's own kind work.

const log = <This, Result>(method: (this: This) => Result, context: ClassMethodDecoratorContext) =>
  function (this: This): Result {
    console.log(`before ${String(context.name)}`);
    return method.call(this);
  };

class Greeter {
  constructor(private name: string) {}
  @log greet() { return `Hello ${this.name}`; }
}

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'typed' }];
export default ({ $ }: any) => {
  $`${new Greeter('Ann').greet()}`;
};
