// A reference equals its tag loosely, and is its tag in JSON and in joins.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ def, $ }) => {
    const city = def('CITY', 'Rome');
    print([city == '<CITY>', JSON.stringify({ city }), [city, city].join(' '), 'x'.concat(city)]);
    $`go`;
  }, [say('ok')]);
};
