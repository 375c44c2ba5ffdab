// Results become data: nothing is null, dates are texts, maps and sets lists or objects; other values are errors with the reason.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => defFunction('stamp', 'Stamps', z.object({}), () => ({ at: new Date(0), gone: undefined, list: [undefined] }));
  const result = async (source) => (await runCode(define, source)).result;
  print([await result('await stamp({});'), await result('return null;'), await result('return undefined;'), await result('return "";')]);
  print([await result('return await stamp({});'), await result('return new Map([["a", new Set([1])]]);'), await result('return [NaN, 1n];')]);
  const error = async (source) => (await runCode(define, source)).error;
  const cycle = await error('const o: Record<string, unknown> = {};\no.self = o;\nreturn o;');
  print([cycle.includes('cycle'), (await error('return [stamp({})];')).includes('await'), (await error('return () => 1;')).includes('function')]);
};
