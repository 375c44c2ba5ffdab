// Headless Chromium over the DevTools protocol, through its pipe: nothing is installed for it, and no port is opened.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--hide-scrollbars',
];

/** Starts Chromium; `close` ends it and removes what it has written. */
export async function startChromium(program) {
  const folder = mkdtempSync(join(tmpdir(), 'lmthing-view-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const [, , , to, from] = child.stdio;
  const waiting = new Map();
  const listeners = [];
  let buffer = '';
  let last = 0;
  from.setEncoding('utf8');
  from.on('data', (piece) => {
    const texts = (buffer + piece).split('\0');
    buffer = texts.pop();
    for (const text of texts) {
      const message = JSON.parse(text);
      const call = waiting.get(message.id);
      if (!call) listeners.forEach((listener) => listener(message));
      else if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
      else call.resolve(message.result);
    }
  });
  const failed = new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`Chromium has ended with ${code}`)));
  });
  failed.catch(() => {});
  const send = (method, params = {}, sessionId) => {
    const id = ++last;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return Promise.race([answer, failed]);
  };
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await send('Browser.close').catch(() => {});
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { open: (address, view) => openPage(send, listeners, address, view), close };
}

/** Opens a page in a window of a size, light or dark. `problems` are its console errors and what its policy has stopped. */
async function openPage(send, listeners, address, { width = 1280, height = 900, scheme = 'light', onNew = '' } = {}) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const problems = [];
  const requests = [];
  let loaded;
  const isLoaded = new Promise((resolve) => (loaded = resolve));
  listeners.push(({ method, params, sessionId: from }) => {
    if (from !== sessionId) return;
    if (method === 'Runtime.exceptionThrown') problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') problems.push(params.args.map(({ value }) => value).join(' '));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') problems.push(params.entry.text);
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    if (method === 'Page.loadEventFired') loaded();
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(`${domain}.enable`);
  await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  if (onNew) await call('Page.addScriptToEvaluateOnNewDocument', { source: onNew });
  await call('Page.navigate', { url: address });
  await isLoaded;
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  return {
    call,
    evaluate,
    problems,
    requests,
    /** A picture of what is seen, as PNG. */
    async picture() {
      return Buffer.from((await call('Page.captureScreenshot', { format: 'png' })).data, 'base64');
    },
    /** Presses a key as a person does. */
    async press(key) {
      const text = key.length === 1 ? key : undefined;
      const code = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38 }[key];
      const event = { key, text, unmodifiedText: text, windowsVirtualKeyCode: code, ...(key === 'Enter' ? { text: '\r' } : {}) };
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
      await evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
    async close() {
      await send('Target.closeTarget', { targetId });
    },
  };
}
