// run() runs a file with its own config and mock; the path counts from the file that calls; wrong input rejects.
import { run } from 'lmthing';
import { say } from './helpers.mjs';
import { ask } from './lib/ask.mjs';
import './lib/other.lmt.mjs';

export const config = { model: 'mock' };
export const mock = [say('mine')];
export default async ({ $ }) => {
  const { result, prompt } = await run('./lib/other.lmt.mjs', { input: { city: 'Rome' } });
  console.log(JSON.stringify(await result.output), prompt.steps.length, await ask('Oslo'));
  const url = new URL('./lib/other.lmt.mjs', import.meta.url);
  console.log(JSON.stringify(await (await run(url, { input: { city: 'Bern' } })).result.output));
  const all = await Promise.all(Array.from({ length: 40 }, () => run('./lib/other.lmt.mjs', { input: { city: 'x' } })));
  console.log((await Promise.all(all.map(({ result }) => result.text))).length);
  await run('./lib/other.lmt.mjs', { input: {} }).catch((error) => console.log(String(error)));
  await run('./lib/none.lmt.mjs').catch((error) => console.log(/none.lmt.mjs/.test(error.message)));
  await run(7).catch((error) => console.log(String(error)));
  await run('./lib/other.lmt.mjs', 'Rome').catch((error) => console.log(String(error)));
  $`x`;
};
