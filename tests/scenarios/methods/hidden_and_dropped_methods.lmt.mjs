// A hidden method is neither shown nor callable on that step, one not defined again is gone; without any, blocks are text.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const block = '<run_code>return await one({});</run_code>';
  const attempt = async (define) => {
    const { text, steps } = await drive((prompt) => {
      const [step, setStep] = prompt.defState('step', 0);
      prompt.defTool('next', 'N', z.object({}), () => { setStep(step + 1); });
      define((name) => prompt.defMethod(name, 'M', z.object({}), () => name), step);
      prompt.$`go`;
    }, [call('next'), say(block)]);
    const shown = steps.map((step) => ['available_methods', 'function one', 'function two'].map((part) => systemOf(step).includes(part)));
    return [text === block ? 'text' : text.replace(/'one'.*</s, "'one' <").replace(/>.*'one'/s, ">'one'"), shown];
  };
  print(await attempt((defMethod, step) => { defMethod('two'); if (step === 1) defMethod('one').disable(); else defMethod('one'); }));
  print(await attempt((defMethod, step) => { defMethod('two'); if (step === 0) defMethod('one').disable(); else defMethod('one'); }));
  print(await attempt((defMethod, step) => { defMethod('two'); if (step === 0) defMethod('one'); }));
  print(await attempt((defMethod, step) => { if (step === 0) defMethod('one'); }));
};
