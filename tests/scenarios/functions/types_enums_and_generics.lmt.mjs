// Code may use the whole language: enums, generics, interfaces, parameter properties, overloads, satisfies, generators.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await runCode(({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
  }, [
    'enum Colour { Red = "red", Blue = "blue" }',
    'const enum Size { Small = 1, Large = 10 }',
    'class Box<T extends string> { #count = 0; constructor(public readonly content: T, private size: Size) {} grow() { this.#count++; return this.size; } }',
    'function pick<T, K extends keyof T>(from: T, key: K): T[K] { return from[key]; }',
    'function* upTo(n: number) { for (let i = 0; i < n; i++) yield i; }',
    'const limits = { low: 1, high: 5 } satisfies Record<string, number>;',
    'const box = new Box(Colour.Blue, Size.Large);',
    'const sum: Awaited<ReturnType<typeof add>> = await add({ a: pick(limits, "high"), b: box.grow() });',
    'return [sum, box.content, [...upTo(3)], limits.low as unknown as string, Colour.Red, [3, 1].at(-1)!, 2n ** 70n > 1n];',
  ]);
  print(result);
};
