// Wrong arguments are TypeErrors that name the method, what is wrong, and what was given.

import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ defWebSearch, defProviderTool, $ }) => {
  $`scenario`;
  const fails = (run) => {
    try {
      run();
      print('fine');
    } catch (error) {
      print(`${error.name}: ${error.message}`);
    }
  };
  fails(() => defWebSearch());
  fails(() => defWebSearch({ allowedDomains: ['a.com', 'b.com/docs'], blockedDomains: [], maxUses: 1, location: { city: 'Rome' }, else: null }));
  fails(() => defWebSearch({ allowedDomains: ['a.com'], blockedDomains: ['b.com'] }));
  fails(() => defWebSearch({ allowedDomain: ['a.com'] }));
  fails(() => defWebSearch({ allowedDomains: [] }));
  fails(() => defWebSearch({ blockedDomains: 'a.com' }));
  fails(() => defWebSearch({ blockedDomains: ['https://a.com'] }));
  fails(() => defWebSearch({ maxUses: 1.5 }));
  fails(() => defWebSearch({ location: { town: 'Rome' } }));
  fails(() => defWebSearch({ else: 'x' }));
  fails(() => defWebSearch([]));
  fails(() => defProviderTool());
  fails(() => defProviderTool('a b', { openai: {} }));
  fails(() => defProviderTool('t', []));
  fails(() => defProviderTool('t', {}));
  fails(() => defProviderTool('t', { openai: 'x' }));
  fails(() => defProviderTool('t', { openai: {} }, { needsApproval: true }));
};
