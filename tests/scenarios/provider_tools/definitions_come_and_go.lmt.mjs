// Redefinition, hiding, active tools and removal hold for tools of the provider as for others; agents may define them.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

export default async ({ $ }) => {
  $`scenario`;
  let run = 0;
  const { steps } = await drive(({ defWebSearch, defProviderTool, defAgent, $ }) => {
    run += 1;
    if (run < 4) {
      defWebSearch({ else: () => 'first' });
      const search = defWebSearch({ else: () => 'second' });
      if (run === 2) search.disable();
    }
    if (run !== 3) defProviderTool('python', { openai: {} }, { else: () => run });
    defAgent('child', 'An agent', { type: 'object' }, (_, { defWebSearch, $ }) => {
      defWebSearch({ else: () => 'in the child' });
      $`search`;
    });
    $`go`;
  }, [
    call('web_search', { query: 'x' }),
    call('web_search', { query: 'x' }),
    call('child'), call('web_search', { query: 'x' }), say('child is done'), { type: 'finish' },
    call('python'),
    say('ok'),
  ]);
  print(steps.map((step) => step.activeTools));
  print(steps.slice(1).map((step) => valuesOf(step)[0]).map((value) => value.response ?? value));
};
