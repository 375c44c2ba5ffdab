// An object of which the schema says nothing else may have any properties; a text is none, and is refused before the code runs.

import { code, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const input = { type: 'object', properties: { fields: { type: 'object' } }, required: ['fields'] };
  const { steps } = await drive(({ defFunction, $ }) => {
    defFunction('note', 'Notes', input, ({ fields }) => {
      print('note was called');
      return fields;
    });
    $`go`;
  }, [
    code('return await note({ fields: { a: 1 } });'),
    code('await note({ fields: {} }); return await note({ fields: "a text" });', 'c2'),
    say('ok'),
  ]);
  print(systemOf(steps[0]).match(/fields: [^}]*/)[0]);
  print(valuesOf(steps[1])[0]);
  print(valuesOf(steps[2])[0].errors[0].message);
};
