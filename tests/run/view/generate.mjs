// Writes runs as JSON lines, in the form that the journal exports: `node generate.mjs full` has one of everything that a page
// shows, `hostile` content that would like to run, `started` a start, `waiting` calls that wait for approval, `wide` names without
// a space; `node generate.mjs many 10000` a long run with agents of agents, `steps 999` one of so many steps.
const START = 1_795_366_800_000;

class Run {
  constructor(id) {
    this.id = id;
    this.time = START;
    this.lines = [];
    this.calls = 0;
    this.agents = 0;
  }

  put(type, who, more = {}, millis = 1) {
    this.time += millis;
    const number = who.number ? { agentNumber: who.number } : {};
    this.lines.push(JSON.stringify({ type, time: this.time, run: this.id, agent: who.path, ...number, ...more }));
  }

  agent(outer, name, toolCallId) {
    const agent = { path: [...outer.path, name], number: ++this.agents };
    const parentNumber = outer.number || undefined;
    this.put('agent-start', agent, { name, toolCallId, parentNumber });
    return agent;
  }

  callId() {
    return `call_${++this.calls}`;
  }
}

const ROOT = { path: [] };
const MODEL = 'openai:gpt-4o';

function usage(input, output, more = {}) {
  return { inputTokens: input, outputTokens: output, totalTokens: input + output, reasoningTokens: null, cachedInputTokens: null, ...more };
}

/** A picture of 8 by 8 pixels. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGUlEQVR42mPQqDhxouIEJsmAVRRIMgxKHQDnPm4BqemXbgAAAABJRU5ErkJggg==';

const MARKDOWN = `## Prices

| product | EUR |
| --- | ---: |
| **tea** | 4.00 |
| \`cup\` | 8.00 |

- [x] looked up
- added up, *with ten percent off*, see [the shop](https://shop.example/prices)

\`\`\`js
const total = (400 + 800) * 0.9; // <b>cents</b>
\`\`\`

<img src=x onerror="window.pwned=1"> &amp; more

`;

const NAMES = ['lookup', 'researcher', 'runToolCode'];

const RULES = `<role>
You are an analyst of the shop. Compute with the tools, never in your head.
</role>

<tasks>
1. [doing] Find the price of tea and of a cup
2. [open] Add up the order
</tasks>

<style>
Answer in one sentence.
</style>`;

function full() {
  const run = new Run('19f1c0e2d3b7a1c2e4f');
  run.put('run-start', ROOT, { file: 'prompts/order.lmt.mjs' }, 0);
  firstStep(run);
  agentStep(run);
  codeStep(run);
  run.put('run-start', ROOT, { file: 'prompts/order.lmt.mjs', resumed: true, fromStep: 3 }, 7_200_000);
  lastStep(run);
  return run.lines;
}

function firstStep(run) {
  const tools = [
    { name: 'lookup', description: 'Looks up the price of a product', inputSchema: { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] } },
    { name: 'researcher', description: 'Finds out facts about a topic', inputSchema: { type: 'object', properties: { topic: { type: 'string' } } } },
    { name: 'runToolCode', description: 'Runs TypeScript', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } },
  ];
  const content = [{ type: 'text', text: 'What do tea and a cup cost with ten percent off?' }, { type: 'image', image: PICTURE, mediaType: 'image/png' }];
  run.put('step-start', ROOT, { step: 0, model: MODEL, request: { system: RULES, messages: [{ role: 'user', content }], tools: NAMES, toolSpecs: tools, settings: { temperature: 0.2, maxOutputTokens: 400, reasoning: 'high', toolChoice: 'auto' } } });
  run.put('retry', ROOT, { message: 'openai is busy (429); asked again in 1.2 s', model: MODEL, reason: 'rate limit', attempt: 1, maxAttempts: 3, waitMs: 1200 }, 240);
  run.put('reasoning-delta', ROOT, { delta: 'Two prices are needed. ' }, 1900);
  run.put('reasoning-delta', ROOT, { delta: 'They do not depend on each other, so both can be asked for at once.' }, 400);
  run.put('text-delta', ROOT, { delta: 'I look both ' }, 320);
  run.put('text-delta', ROOT, { delta: 'prices up.' }, 80);
  const ids = [run.callId(), run.callId(), run.callId()];
  ['tea', 'cup', 7].forEach((product, index) => run.put('tool-call', ROOT, { toolCallId: ids[index], toolName: 'lookup', input: { product } }, 150));
  run.put('tool-result', ROOT, { toolCallId: ids[2], toolName: 'lookup', output: { error: 'Invalid input for tool lookup: product: expected string, received number' }, isError: true, durationMs: 2 }, 2);
  const cup = { product: 'cup', cents: 800, currency: 'EUR', inStock: true, tags: ['porcelain', 'white'], supplier: { name: 'Meissen & Sons', city: 'Dresden', since: 1998, contact: null }, note: 'Two lines:\nsold singly.' };
  run.put('tool-result', ROOT, { toolCallId: ids[1], toolName: 'lookup', output: cup, isError: false, durationMs: 410 }, 260);
  run.put('tool-result', ROOT, { toolCallId: ids[0], toolName: 'lookup', output: 'Tea costs 4.00 EUR.', isError: false, durationMs: 980 }, 420);
  run.put('step-finish', ROOT, { step: 0, model: MODEL, finishReason: 'tool-calls', usage: usage(1100, 150, { cachedInputTokens: 400, reasoningTokens: 64 }), cost: 0.0043, durationMs: 4800 });
}

function agentStep(run) {
  const system = RULES.replace('1. [doing]', '1. [done] ').replace('2. [open]', '2. [doing]').replace('\n\n<style>', '\n3. [open] Name the currency\n\n<style>');
  const extra = [{ role: 'user', content: [{ type: 'text', text: 'Reminder: two tasks are open.' }] }];
  run.put('step-start', ROOT, { step: 1, model: MODEL, request: { system, messages: [], tools: NAMES, extra } });
  const ids = [run.callId(), run.callId()];
  ['the history of the tea cup', 'discounts'].forEach((topic, index) => run.put('tool-call', ROOT, { toolCallId: ids[index], toolName: 'researcher', input: { topic } }, 300));
  const [first, second] = ids.map((id) => run.agent(ROOT, 'researcher', id));
  for (const agent of [first, second]) run.put('step-start', agent, { step: 0, model: 'anthropic:claude', request: { system: 'You find out facts.', messages: [{ role: 'user', content: 'Find out.' }], tools: ['search'] } });
  const search = run.callId();
  run.put('tool-call', first, { toolCallId: search, toolName: 'search', input: { query: 'tea cup history' } }, 700);
  const reader = run.agent(first, 'reader', search);
  run.put('step-start', reader, { step: 0, model: 'anthropic:claude-small' });
  run.put('text-delta', second, { delta: 'Ten percent is usual.' }, 120);
  run.put('step-finish', second, { step: 0, model: 'anthropic:claude', finishReason: 'stop', usage: usage(210, 30), cost: 0.0009, durationMs: 830 });
  run.put('agent-finish', second, { name: 'researcher', steps: 1, durationMs: 840 });
  run.put('tool-result', ROOT, { toolCallId: ids[1], toolName: 'researcher', output: 'Ten percent is usual.', isError: false, durationMs: 845 });
  run.put('text-delta', reader, { delta: 'Cups without handles came first.' }, 900);
  run.put('step-finish', reader, { step: 0, model: 'anthropic:claude-small', finishReason: 'stop', usage: usage(90, 12), cost: 0.0001, durationMs: 1020 });
  run.put('agent-finish', reader, { name: 'reader', steps: 1, durationMs: 1025 });
  run.put('tool-result', first, { toolCallId: search, toolName: 'search', output: 'Cups without handles came first.', isError: false, durationMs: 1030 });
  run.put('step-finish', first, { step: 0, model: 'anthropic:claude', finishReason: 'tool-calls', usage: usage(300, 40), cost: 0.0012, durationMs: 1900 });
  run.put('agent-finish', first, { name: 'researcher', steps: 1, durationMs: 1910, error: 'the limit of 1 step is reached' });
  run.put('tool-result', ROOT, { toolCallId: ids[0], toolName: 'researcher', output: { error: 'the limit of 1 step is reached' }, isError: true, durationMs: 1915 });
  run.put('warning', ROOT, { message: 'The description of the tool researcher is longer than 1,000 letters.' });
  run.put('step-finish', ROOT, { step: 1, model: MODEL, finishReason: 'tool-calls', usage: usage(1500, 90), cost: 0.0051, durationMs: 2600, cache: { read: 300, written: 0, expected: 1100, brokenBy: { kind: 'section', name: 'tasks', tokens: 800, cost: 0.0012 } } });
}

function codeStep(run) {
  const bad = 'const price = await lookup({ product: 7 });\nreturn price.cents;';
  const good = `const products: string[] = ["tea", "cup"];
const prices = await Promise.all(products.map((product) => lookup({ product })));
const total = prices.reduce((sum, { cents }) => sum + cents, 0);
console.log("total", total);
return { total, discounted: Math.round(total * 0.9) };`;
  run.put('step-start', ROOT, { step: 2, model: MODEL, request: { messages: [], tools: NAMES } });
  const [first, second] = [run.callId(), run.callId()];
  run.put('tool-call', ROOT, { toolCallId: first, toolName: 'runToolCode', input: { code: bad } }, 900);
  const found = { line: 1, column: 32, message: "Type 'number' is not assignable to type 'string'.", code: 2322 };
  run.put('code-check', ROOT, { toolCallId: first, code: bad, ok: false, diagnostics: [found] }, 30);
  run.put('tool-result', ROOT, { toolCallId: first, toolName: 'runToolCode', output: { success: false, errors: [found] }, isError: false, durationMs: 31 });
  run.put('tool-call', ROOT, { toolCallId: second, toolName: 'runToolCode', input: { code: good } }, 700);
  run.put('code-check', ROOT, { toolCallId: second, code: good, ok: true, diagnostics: [] }, 6);
  run.put('code-console', ROOT, { toolCallId: second, text: 'total 1200' }, 3);
  run.put('tool-result', ROOT, { toolCallId: second, toolName: 'runToolCode', output: { success: true, result: { total: 1200, discounted: 1080 } }, isError: false, durationMs: 12 });
  run.put('step-finish', ROOT, { step: 2, model: MODEL, finishReason: 'tool-calls', usage: usage(1700, 210), cost: 0.0064, durationMs: 1800 });
  run.put('step-start', ROOT, { step: 3, model: MODEL });
  run.put('text-delta', ROOT, { delta: 'Tea and' }, 300);
}

function lastStep(run) {
  const words = 'Tea and a cup cost 10.80 EUR with ten percent off.';
  run.put('step-start', ROOT, { step: 3, model: MODEL, request: { messages: [], tools: NAMES, settings: { temperature: 1 } } });
  run.put('text-delta', ROOT, { delta: `${MARKDOWN}${words}` }, 800);
  const response = { id: 'resp_7', modelId: 'gpt-4o-2024-11-20', timestamp: run.time };
  run.put('step-finish', ROOT, { step: 3, model: MODEL, finishReason: 'stop', usage: usage(1950, 40), cost: 0.0059, durationMs: 1000, response });
  run.put('run-finish', ROOT, { ok: true, text: words, finishReason: 'stop', steps: 4, usage: usage(6850, 572, { cachedInputTokens: 400, reasoningTokens: 64 }), cost: 0.0239, model: MODEL, durationMs: 11_300, output: { total: 10.8, currency: 'EUR' } });
}

/** A run that has stopped for two approvals, one of an agent. */
function waiting() {
  const run = new Run('19f1c0e2d3b7a1c2e50');
  run.put('run-start', ROOT, { file: 'deploy.lmt.mjs' }, 0);
  run.put('step-start', ROOT, { step: 0, model: MODEL, request: { messages: [{ role: 'user', content: 'Deploy.' }], tools: ['deploy', 'helper'] } });
  run.put('tool-call', ROOT, { toolCallId: 'call_1', toolName: 'deploy', input: { to: 'production' } }, 300);
  run.put('tool-call', ROOT, { toolCallId: 'call_2', toolName: 'helper', input: {} }, 10);
  const helper = run.agent(ROOT, 'helper', 'call_2');
  run.put('step-start', helper, { step: 0, model: MODEL });
  run.put('tool-call', helper, { toolCallId: 'call_3', toolName: 'remove', input: { path: '/srv' } }, 200);
  const error = 'the run waits for approval';
  run.put('agent-finish', helper, { name: 'helper', steps: 0, durationMs: 220, error });
  const calls = [
    { call: 'call_1', toolCallId: 'call_1', name: 'deploy', args: { to: 'production' }, agent: [] },
    { call: 'call_3', toolCallId: 'call_3', name: 'remove', args: { path: '/srv' }, agent: ['helper'] },
    { call: 'x; rm -rf ~', toolCallId: 'call_9', name: 'other', args: {}, agent: [] },
  ];
  run.put('run-finish', ROOT, { ok: false, text: '', finishReason: null, steps: 0, usage: usage(40, 4), cost: 0, model: MODEL, durationMs: 600, error: { code: 1, kind: 'approval', message: error, waiting: calls } });
  return run.lines;
}

/** Names, ids and texts without a place to break. */
function wide() {
  const long = 'aVeryLongNameWithoutAnyPlaceToBreakIt'.repeat(6);
  const run = new Run(long);
  run.put('run-start', ROOT, { file: `${long}/${long}.lmt.mjs` }, 0);
  const content = [{ type: 'text', text: long }, { type: long, [long]: long }, { type: 'file', data: 'AAAA', mediaType: long, filename: long }];
  run.put('step-start', ROOT, { step: 0, model: `openai:${long}`, request: { system: long, messages: [{ role: long, content }], tools: [long], toolSpecs: [{ name: long, description: long, inputSchema: { [long]: long } }], settings: { [long]: long } } });
  run.put('reasoning-delta', ROOT, { delta: long }, 100);
  const table = `| ${long} | ${long} |\n| --- | --- |\n| ${long} | 1 |`;
  run.put('text-delta', ROOT, { delta: `${long}\n\n# ${long}\n\n\`\`\`\n${long}\n\`\`\`\n\n${table}\n\n- \`${long}\`\n\n> ${long}\n\n[${long}](https://${long})` }, 100);
  run.put('tool-call', ROOT, { toolCallId: long, toolName: long, input: { [long]: long, code: `const ${long} = 1;` } }, 100);
  run.put('code-check', ROOT, { toolCallId: long, ok: false, code: `const ${long} = 1;`, diagnostics: [{ line: 1, message: long, code: long }] });
  const agent = run.agent(ROOT, long, long);
  run.put('step-start', agent, { step: 0, model: long });
  run.put('step-finish', agent, { step: 0, model: long, finishReason: long, usage: usage(123456789, 123456789), cost: 123.456, durationMs: 100 });
  run.put('agent-finish', agent, { name: long, steps: 1, durationMs: 100, error: long });
  run.put('tool-result', ROOT, { toolCallId: long, toolName: long, output: { [long]: long }, isError: true, durationMs: 100 });
  for (const kind of ['warning', 'retry']) run.put(kind, ROOT, { message: long });
  run.put('step-finish', ROOT, { step: 0, model: long, finishReason: long, usage: usage(123456789, 123456789), cost: 123.456, durationMs: 100 });
  const waiting = [{ call: 'c', toolCallId: 'c', name: long, args: { [long]: long }, agent: [long] }];
  run.put('run-finish', ROOT, { ok: false, error: { kind: long, message: long, hint: long, file: long, line: 1, waiting }, output: { [long]: long } });
  return run.lines;
}

/** A run of so many steps. */
function steps(wanted) {
  const run = new Run('19f1c0e2d3b7a1c2e51');
  run.put('run-start', ROOT, { file: 'prompts/long.lmt.mjs' }, 0);
  for (let step = 0; step < wanted; step++) wholeStep(run, ROOT, step, 0);
  run.put('run-finish', ROOT, { ok: true, text: 'x', finishReason: 'stop', steps: wanted, usage: usage(900_000, 80_000), cost: 3.2, model: MODEL, durationMs: run.time - START });
  return run.lines;
}

/** A run with so many events: steps with parallel tools, and agents of agents. */
function many(wanted) {
  const run = new Run('19f1c0e2d3b7a1c2f00');
  run.put('run-start', ROOT, { file: 'prompts/survey.lmt.mjs' }, 0);
  let steps = 0;
  while (run.lines.length < wanted - 40) wholeStep(run, ROOT, steps++, steps % 4 === 0 ? 2 : 0);
  while (run.lines.length < wanted - 3) run.put('warning', ROOT, { message: `Notice ${run.lines.length}` });
  run.put('step-start', ROOT, { step: steps, model: MODEL });
  run.put('text-delta', ROOT, { delta: 'That was the survey: the needle is here.' }, 500);
  run.put('run-finish', ROOT, { ok: true, text: 'x', finishReason: 'stop', steps: steps + 1, usage: usage(900_000, 80_000), cost: 3.2, model: MODEL, durationMs: run.time - START });
  return run.lines;
}

function wholeStep(run, agent, step, depth) {
  const system = `You are surveyor ${agent.path.join('/')}.\nStep ${step}.\nBe short.`;
  run.put('step-start', agent, { step, model: MODEL, request: { system, messages: [], tools: ['look', 'survey'] } }, 20);
  run.put('reasoning-delta', agent, { delta: `What is to be done in step ${step}? ` }, 400);
  for (let piece = 0; piece < 3; piece++) run.put('text-delta', agent, { delta: `Piece ${piece} of what step ${step} has to say, which may be long enough for a line. ` }, 60);
  const looks = Array.from({ length: 1 + (step % 3) }, () => run.callId());
  looks.forEach((id, index) => run.put('tool-call', agent, { toolCallId: id, toolName: 'look', input: { at: index, where: { north: step, east: index } } }, 15));
  if (depth > 0) {
    const id = run.callId();
    run.put('tool-call', agent, { toolCallId: id, toolName: 'survey', input: { region: step } });
    const child = run.agent(agent, depth > 1 ? 'surveyor' : 'helper', id);
    wholeStep(run, child, 0, depth - 1);
    wholeStep(run, child, 1, 0);
    run.put('agent-finish', child, { name: child.path.at(-1), steps: 2, durationMs: 3000 });
    run.put('tool-result', agent, { toolCallId: id, toolName: 'survey', output: 'surveyed', isError: false, durationMs: 3000 });
  }
  looks.forEach((id, index) => run.put('tool-result', agent, { toolCallId: id, toolName: 'look', output: { seen: ['tree', 'stone', 'river'].slice(0, index + 1), at: step, heights: [step, index, 12] }, isError: step % 17 === 3, durationMs: 120 }, 90));
  run.put('step-finish', agent, { step, model: MODEL, finishReason: 'tool-calls', usage: usage(800 + step, 60), cost: 0.002, durationMs: 900 });
}

/** A vector graphic with a script. */
const SCRIPTED = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>window.pwned=1</script></svg>').toString('base64')}`;

/** Content that would like to be more. */
function hostile() {
  const texts = [
    '</script><script>window.pwned=1</script>',
    '<img src=x onerror="window.pwned=1">',
    '<!--<script>',
    '\u2028\u2029</style><style>*{display:none}</style>',
    'javascript:alert(1) https://example.invalid/<svg onload=alert(1)>',
    '[click](javascript:window.pwned=5) ![x](https://example.invalid/x.png) <https://example.invalid/auto> ![y](data:text/html,<script>window.pwned=6</script>)',
    '[a]: javascript:alert(1)\n\n[a] <a href="javascript:window.pwned=7">b</a> <svg/onload=window.pwned=8>\n\n<script>window.pwned=9</script>\n\n| <img src=x onerror=window.pwned=1> |\n| --- |\n| `<script>` |',
    '*a* '.repeat(900),
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": 1}}',
  ];
  const run = new Run('</script>');
  run.put('run-start', ROOT, { file: texts[0] });
  for (const text of texts) {
    const agent = run.agent(ROOT, text, text);
    run.put('step-start', agent, { step: text, model: text, request: { system: text, messages: [{ role: text, content: text }, null, 7, { role: 'user', content: [null, { type: text }, { type: 'image', image: text, mediaType: 'image/svg+xml' }, { type: 'image', image: SCRIPTED, mediaType: 'image/svg+xml' }] }], settings: { [text]: text }, tools: [text, 1], toolSpecs: [{ name: text, description: text, inputSchema: { [text]: text } }, null] } });
    for (const kind of ['text-delta', 'reasoning-delta']) run.put(kind, agent, { delta: text });
    run.put('code-check', agent, { ok: true, code: text, diagnostics: text });
    run.put('tool-call', agent, { toolCallId: text, toolName: text, input: { [text]: [text], code: text } });
    run.put('code-check', agent, { toolCallId: text, ok: false, code: text, diagnostics: [text, null, { message: { text }, line: text }] });
    run.put('code-console', agent, { toolCallId: text, text });
    run.put('tool-result', agent, { toolCallId: text, toolName: text, output: { type: 'text', value: text }, isError: text, durationMs: text });
    run.put('warning', agent, { message: text });
    run.put('retry', agent, { message: { text } });
    run.put('step-finish', agent, { step: text, finishReason: text, usage: text, cost: text });
    run.put('agent-finish', agent, { name: text, error: text });
    run.put(text, ROOT);
  }
  run.put('run-finish', ROOT, { ok: false, error: { kind: texts[0], message: texts[1], hint: texts[2], file: texts[3], line: texts[4] }, output: texts });
  return run.lines;
}

const [, , which, wanted] = process.argv;
const RUNS = { full, hostile, waiting, wide, started: () => full().slice(0, 1), steps: () => steps(Number(wanted)), many: () => many(Number(wanted)) };
const lines = RUNS[which]();
process.stdout.write(`${lines.join('\n')}\n`);
