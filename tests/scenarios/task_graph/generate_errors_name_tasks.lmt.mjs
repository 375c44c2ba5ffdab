// A refused graph names the wrong tasks: cycles, unknown references, duplicates.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const task = (id, dependencies = []) => ({ id, title: id, description: id, dependencies, unblocks: [], required_capabilities: [] });
  const { steps } = await drive(async ({ defTaskGraph, $ }) => { defTaskGraph([]); $`go`; }, [
    call('generateTaskGraph', { tasks: [task('red', ['blue']), task('blue', ['red'])] }),
    call('generateTaskGraph', { tasks: [task('red', ['phantom'])] }, 'c2'),
    call('generateTaskGraph', { tasks: [task('twin'), task('twin')] }, 'c3'), say('ok')]);
  const texts = steps.slice(1).map((s) => [valuesOf(s)[0].success, JSON.stringify(valuesOf(s)[0])]);
  print([texts.map(([ok]) => ok), texts[0][1].includes('red') && texts[0][1].includes('blue'), texts[1][1].includes('phantom'), texts[2][1].includes('twin')]);
};
