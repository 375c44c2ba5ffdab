import { z } from 'zod';
export const input = z.object({ city: z.string(), days: z.coerce.number().default(3) });
const described = { type: 'object', properties: { city: { type: 'string' } } };
const plugin = { defName() {} };

/** @type {import('lmthing').PromptFunction} */
export const bare = async ({ def, defStaet, steps, $ }) => { //~ TS2339
  def('A', {}); //~ TS2345
  def('A'); //~ TS2554
  $`${steps.length}`;
};
/** @type {import('lmthing').PromptFunction<typeof input, typeof plugin>} */
export default ({ defName }, { city, cty, days }) => { //~ TS2339
  city.toFixed(); //~ TS2551
  defName();
  return days.toFixed();
};
/** @type {import('lmthing').PromptFunction<typeof described>} */
export const loose = ({ $ }, { city }) => $`${city.anything}`;
/** @type {import('lmthing').PromptFunction<typeof plugin>} */
export const plain = ({ defName }) => defName();
/** @type {import('lmthing').PromptFunctionOf<{}, typeof input>} */
export async function whole(prompt, given) {
  prompt.defAgent('a', 'Asks.', described, ({ anything }, child) => child.def('A', anything));
  prompt.nothing; //~ TS2339
  given.cty; //~ TS2551
  return given.days.toFixed();
}
/** @type {import('lmthing').PromptFunctionOf} */
export const unsaid = ({ def }, given) => def('A', given.anything);
