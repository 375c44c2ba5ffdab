// Prints what the page makes of each step: `node requests.mjs PAGE.html`, as `{state, steps: [{request, answer, state}]}`, first the
// steps of the file's own prompt.
import { readFileSync } from 'node:fs';
import { answerOf, requestOf } from '../../../runtime-js/pages/view/model/exchange.js';
import { readRun } from '../../../runtime-js/pages/view/model/run.js';
import { stateOf, stateOfNode } from '../../../runtime-js/pages/view/model/states.js';

const [, text] = /id="data">(.*?)<\/script>/s.exec(readFileSync(process.argv[2], 'utf8'));
const { events, status } = JSON.parse(text);
const run = readRun(events, status);
const steps = [run.root, ...run.agents].flatMap(({ children }) => children.filter(({ kind }) => kind === 'step'));
const shown = steps.map((step) => ({ request: requestOf(step), answer: answerOf(step), state: stateOfNode(step)?.word }));
console.log(JSON.stringify({ state: stateOf(run).word, steps: shown }));
