import { type Mock, type TestRun, assertType, expect, expectTypeOf, fn, run, test } from 'lmthing/test';

declare module 'lmthing/test' {
  interface Matchers<T> {
    toBeEven(why?: string): void;
  }
}

expect.extend({
  toBeEven(received: number, why?: string) {
    return { pass: received % 2 === 0, message: () => `${this.utils.printReceived(received)} ${this.isNot} ${why}` };
  },
  async toBeLater(received) {
    return { pass: await received, message: () => 'later' };
  },
});
expect.extend({ toBeWrong: () => true }); //~ TS2322

test('a matcher of its own', async () => {
  expect(2).toBeEven('so');
  expect(2).not.toBeEven();
  expect(2).toBeEven(1); //~ TS2345
  const done: Promise<void> = expect(Promise.resolve(2)).resolves.toBeEven();
  await done;
  expect({ a: 2 }).toEqual({ a: expect.toBeEven() });
  const answer: TestRun = await run('./a.lmt.ts');
  expectTypeOf(answer.text).toEqualTypeOf<string>();
  expectTypeOf(answer.text).toEqualTypeOf<number>(); //~ TS2554
  assertType<string>(answer.cost); //~ TS2345
  const text: string = answer.text;
  expect(text).toBe(text);
  const withUser = test.extend<{ user: { name: string } }>({ user: async ({ task }, use) => use({ name: task.name }) });
  withUser('has it', ({ user }) => user.name.trim());
  withUser('has no other', ({ usr }) => usr); //~ TS2339
  const mock: Mock<(a: number) => string> = fn((a: number) => a.toFixed());
  const result: number = mock(1); //~ TS2322
  expect(result).toBe(1);
});
