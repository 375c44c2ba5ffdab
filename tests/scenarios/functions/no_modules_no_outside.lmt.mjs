// Imports in every form and everything of the outside world are refused before the code runs.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  let calls = 0;
  const define = ({ defFunction }) => defFunction('tick', 'Ticks', z.object({}), () => { calls += 1; });
  const lines = async (source) => (await runCode(define, `await tick({});\n${source}`)).errors?.map((error) => error.line);
  print([await lines('import fs from "node:fs";'), await lines('export const x = 1;'), await lines('return require("fs");')]);
  print([await lines('return process.env;'), await lines('return await fetch("x");'), await lines('setTimeout(() => {}, 1);')]);
  print(calls);
  const thrown = await runCode(define, 'return await import("node:fs" as string);');
  const made = await runCode(define, 'return (async () => {}).constructor("return 1")();');
  print([thrown.success, made.success]);
};
