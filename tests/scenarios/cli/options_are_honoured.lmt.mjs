// config.options and config.plugins of the file are honoured.

import { stepCountIs } from 'lmthing';
const log = [];
export const config = {
  model: 'mock',
  plugins: [{ defHello() { return 'hello plugin'; } }],
  options: { stopWhen: stepCountIs(1), onStepFinish: (s) => { log.push(s.finishReason); }, onFinish: () => { console.error('finished after', log.join()); } },
};
export const mock = [{ type: 'text', text: 'one' }, { type: 'tool-call', toolName: 'p', args: {} }, { type: 'text', text: 'two' }];
export default ({ defHello, defTool, $ }) => { console.error(defHello()); defTool('p', 'P', { type: 'object' }, () => 1); $`x`; };
