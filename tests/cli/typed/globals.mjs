const timer = setTimeout(() => {}, 10);
timer.unref();
clearTimeout(timer);
await new Promise((resolve) => setTimeout(resolve, 1));
const response = await fetch(new URL('https://example.org/a?b=1'), {
  method: 'POST', body: new URLSearchParams({ a: '1' }), headers: { accept: 'text/plain' }, signal: AbortSignal.timeout(1000),
});
if (!response.okay) throw new Error(response.statusText, { cause: response.headers.get('x') }); //~ TS2339
const data = await response.json();
data.anything.goes;
for await (const chunk of response.body ?? []) new TextDecoder().decode(chunk, { stream: true });
for (const [name, value] of response.headers) console.log(name.trim(), value.trim());
for (const [name, value] of new URL(import.meta.url).searchParams) console.log(name.trim(), value.trim());
console.lgo(import.meta.dirname, import.meta.filename, import.meta.resolve('./a.mjs')); //~ TS2339
const { MODEL = 'mock', ...others } = process.env;
console.log(MODEL.trim(), others, process.argv.slice(2), process.platform === 'linux', process.hrtime.bigint() > 1n, process.cwd());
process.stdout.write('text');
process.stdin.setEncoding('utf8').on('data', (chunk) => chunk);
process.on('exit', (code) => code);
process.evn; //~ TS2339
Buffer.from('a', 'utf8').toString('base64').trim();
Buffer.concat([Buffer.alloc(2), new Uint8Array(2)]).readUInt16BE(0).toFixed();
Buffer.from('a', 'utf9'); //~ TS2769
structuredClone({ a: 1 }).b; //~ TS2339
crypto.randomUUID().trim();
new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))).length;
performance.now().toFixed();
queueMicrotask(() => atob(btoa('a')));
const form = new FormData();
form.set('file', new File(['a'], 'a.txt', { type: 'text/plain' }));
new Blob(['a']).stream().pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'));
new ReadableStream({ start(controller) { controller.enqueue('a'); controller.close(); } }).getReader().read().then(({ value }) => value);
class Done extends Event { constructor() { super('done'); } }
new EventTarget().dispatchEvent(new Done());
const controller = new AbortController();
controller.signal.addEventListener('abort', ({ type }) => type, { once: true });
new WebAssembly.Module(new Uint8Array()); // as in browsers
Error.captureStackTrace({});
[3, 1].toSorted().at(-1)?.toFixed();
Object.groupBy(['a'], (letter) => letter).a?.length;
window.alert(); //~ TS2304
document.body; //~ TS2584
