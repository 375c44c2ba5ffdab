// Data that is large is not written again on each step, so a change of any kind has to be noticed.
const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `name ${id}`, nested: { list: [id, { deep: null }] } }));
let seen = 1;
Object.defineProperty(rows[7], 'seen', { enumerable: true, get: () => seen });
const changes = [
  () => { rows[5].name = 'new'; },
  () => {},
  () => { rows[6].added = true; },
  () => { delete rows[6].added; },
  () => { [rows[1], rows[2]] = [rows[2], rows[1]]; },
  () => { rows[3].nested.list.reverse(); },
  () => { rows.pop(); },
  () => { seen = 2; },
  () => { rows[9].toJSON = () => 'short'; },
  () => { delete rows[9].toJSON; rows[4] = new Date(0); },
  () => { rows[4].setTime(5000); },
];
const call = (_, step) => ({ type: 'tool-call', toolName: 'change', args: { step } });

export const config = { model: 'mock' };
export const mock = [...changes.map(call), { type: 'text', text: '' }];

const shown = [];
export default async ({ $, defData, defTool, defEffect }) => {
  defData('KEPT', rows);
  defData('MADE', JSON.parse(JSON.stringify(rows)));
  defTool('change', 'Changes the data.', { type: 'object' }, ({ step }) => { changes[step](); });
  defEffect(({ variables }) => {
    const [kept, made] = ['KEPT', 'MADE'].map((name) => [...variables].find((variable) => variable.name === name).value);
    console.log(kept === made ? 'right' : 'wrong', kept === shown.at(-1) ? 'same' : 'changed');
    shown.push(kept);
  });
  $`go`;
};
