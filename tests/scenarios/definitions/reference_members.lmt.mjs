// A reference offers value, name, remind, disable, toString and valueOf, also to the in operator.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ def, defTool, $ }) => {
    const city = def('CITY', 'Rome');
    const find = defTool('find', 'Finds', z.object({}), () => 1);
    print([city.name, city.value, find.name, find.value, String(find), `${find}`, find + '!', find.valueOf(), find.toString()]);
    print(['value', 'name', 'remind', 'disable', 'toString', 'valueOf'].map((k) => k in city));
    print('nonsense' in city);
    $`go`;
  }, [say('ok')]);
};
