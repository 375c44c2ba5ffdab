// Sockets and servers: connections, halves, limits, files as addresses, lists of addresses.
const show = (name, value) =>
  console.log(JSON.stringify({ [name]: value }, (k, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? '__undef' : v)));
const err = (e) => [e.name, e.code, e.errno, e.syscall, e.path?.replace?.(process.cwd(), 'CWD'), e.dest, e.message.replaceAll(process.cwd(), 'CWD')];
const t = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', err(e));
  }
};
const sleep = (ms) => new Promise((d) => setTimeout(d, ms));
import net from 'node:net';
import fs from 'node:fs';
import { once } from 'node:events';
const listen = async (fn, opts) => {
  const s = net.createServer(opts ?? {}, fn);
  s.listen(0, '127.0.0.1');
  await once(s, 'listening');
  return s;
};
await t('echo', async () => {
  const s = await listen((c) => c.pipe(c));
  const c = net.connect(s.address().port, '127.0.0.1');
  const ev = [];
  for (const e of ['lookup', 'connect', 'ready', 'end', 'close', 'finish']) c.on(e, (...a) => ev.push(e === 'close' ? [e, ...a] : e));
  c.end('hi');
  let o = '';
  for await (const x of c) o += x;
  await sleep(5);
  s.close();
  await once(s, 'close');
  return [o, ev, c.bytesRead, c.bytesWritten, c.destroyed, c.readyState];
});
await t('half open', async () => {
  const s = await listen(
    (c) => {
      c.on('end', () => {
        c.write('after end');
        c.end();
      });
      c.resume();
    },
    { allowHalfOpen: true },
  );
  const c = net.connect({ port: s.address().port, host: '127.0.0.1', allowHalfOpen: true });
  c.end('x');
  let o = '';
  for await (const x of c) o += x;
  s.close();
  return o;
});
await t('server ev', async () => {
  const ev = [];
  const s = net.createServer();
  for (const e of ['listening', 'connection', 'close', 'drop']) s.on(e, () => ev.push(e));
  await new Promise((d) => s.listen(0, d));
  const c = net.connect(s.address().port);
  await once(c, 'connect');
  await sleep(5);
  const n = await new Promise((d) => s.getConnections((e, n) => d(n)));
  c.end();
  s.close();
  c.resume();
  await once(s, 'close');
  return [ev, n, s.listening, s.address()];
});
await t('refused', async () => {
  const s = await listen();
  const { port } = s.address();
  s.close();
  await once(s, 'close');
  const c = net.connect(port, '127.0.0.1');
  const [e] = await once(c, 'error');
  return [e.code, e.errno, e.syscall, e.address, e.port === port, e.message.replace(port, 'P'), c.destroyed];
});
await t('in use', async () => {
  const s = await listen();
  const { port } = s.address();
  const s2 = net.createServer();
  s2.listen(port, '127.0.0.1');
  const [e] = await once(s2, 'error');
  s.close();
  return [e.code, e.errno, e.syscall, e.address, e.message.replace(port, 'P')];
});
await t('bad port', () => net.connect(99999));
await t('bad port2', () => net.createServer().listen(-1));
await t('no args', () => net.connect({}));
await t('not found', async () => {
  const c = net.connect(80, 'no-such-host.invalid');
  const [e] = await once(c, 'error');
  return [['ENOTFOUND', 'EAI_AGAIN'].includes(e.code), e.syscall, e.hostname];
});
await t('unix missing', async () => {
  const c = net.connect('./nope.sock');
  const [e] = await once(c, 'error');
  return [e.code, e.syscall, e.address, e.message];
});
await t('unix', async () => {
  const p = './u.sock';
  const s = net.createServer((c) => {
    c.on('data', (d) => c.end(`got ${d}`));
  });
  await new Promise((d) => s.listen(p, d));
  const c = net.connect({ path: p });
  c.write('hello');
  let o = '';
  for await (const x of c) o += x;
  const a = s.address();
  s.close();
  await once(s, 'close');
  return [o, a, fs.existsSync(p), c.remoteAddress];
});
await t('timeout', async () => {
  const s = await listen((c) => {});
  const c = net.connect(s.address().port, '127.0.0.1');
  c.setTimeout(30);
  await once(c, 'timeout');
  const r = [c.timeout, c.destroyed];
  c.destroy();
  s.close();
  return r;
});
await t('timeout cb', async () => {
  const s = await listen((c) => {
    c.setTimeout(10, () => c.end('slow'));
  });
  const c = net.connect(s.address().port, '127.0.0.1');
  let o = '';
  for await (const x of c) o += x;
  s.close();
  return o;
});
await t('destroy err', async () => {
  const s = await listen((c) => c.on('error', () => {}));
  const c = net.connect(s.address().port, '127.0.0.1');
  await once(c, 'connect');
  const ev = [];
  c.on('error', (e) => ev.push(e.message)).on('close', (h) => ev.push(h));
  c.destroy(new Error('mine'));
  await sleep(10);
  s.close();
  return ev;
});
await t('write after end', async () => {
  const s = await listen((c) => c.resume());
  const c = net.connect(s.address().port, '127.0.0.1');
  await once(c, 'connect');
  c.end();
  const p = once(c, 'error');
  c.write('x');
  const [e] = await p;
  s.close();
  return err(e);
});
await t('write destroyed', async () => {
  const c = new net.Socket();
  c.destroy();
  return new Promise((d) => c.write('x', (e) => d(err(e))));
});
await t('isIP', () => ['1.2.3.4', '256.1.1.1', '::1', 'fe80::1%eth0', '::ffff:1.2.3.4', '', '1.2.3', '01.2.3.4'].map((x) => net.isIP(x)));
await t('blocklist', () => {
  const b = new net.BlockList();
  b.addAddress('1.1.1.1');
  b.addRange('10.0.0.1', '10.0.0.9');
  b.addSubnet('8.8.8.0', 24);
  b.addSubnet('fe80::', 10, 'ipv6');
  return [
    b.check('1.1.1.1'),
    b.check('10.0.0.5'),
    b.check('10.0.1.5'),
    b.check('8.8.8.200'),
    b.check('fe80::5', 'ipv6'),
    b.check('::ffff:1.1.1.1', 'ipv6'),
    b.rules,
  ];
});
await t('SocketAddress', () => {
  const a = new net.SocketAddress({ address: '1.2.3.4', port: 80 });
  return [a.address, a.port, a.family, a.flowlabel];
});
await t('maxConn', async () => {
  const s = await listen((c) => c.resume());
  s.maxConnections = 1;
  const dr = once(s, 'drop');
  const a = net.connect(s.address().port, '127.0.0.1');
  await once(a, 'connect');
  const b = net.connect(s.address().port, '127.0.0.1');
  b.on('error', () => {});
  const [d] = await dr;
  a.destroy();
  b.destroy();
  s.close();
  return Object.keys(d).sort();
});
await t('setX', async () => {
  const c = new net.Socket();
  return [
    c.setNoDelay() === c,
    c.setKeepAlive(true, 100) === c,
    c.ref() === c,
    c.unref() === c,
    c.connecting,
    c.pending,
    c.readyState,
    c.bufferSize,
    c.address(),
  ];
});
await t('backpressure', async () => {
  let n = 0;
  const s = await listen((c) => c.on('data', (d) => (n += d.length)).on('end', () => c.end('done')));
  const c = net.connect(s.address().port, '127.0.0.1');
  let drained = 0;
  c.on('drain', () => drained++);
  const b = Buffer.alloc(2e6);
  const r = c.write(b);
  c.end();
  c.resume();
  await once(c, 'close');
  s.close();
  return [r, n, drained];
});
await t('pauseOnConnect', async () => {
  const s = await listen(
    (c) => {
      setTimeout(() => {
        c.on('data', (d) => c.end(String(d).toUpperCase()));
        c.resume();
      }, 10);
    },
    { pauseOnConnect: true },
  );
  const c = net.connect(s.address().port, '127.0.0.1');
  c.write('late');
  let o = '';
  for await (const x of c) o += x;
  s.close();
  return o;
});
await t('listen opts', async () => {
  const s = net.createServer();
  s.listen({ port: 0, host: 'localhost', backlog: 5, exclusive: true });
  await once(s, 'listening');
  const r = [['127.0.0.1', '::1'].includes(s.address().address)];
  s.close();
  return r;
});
await t('listen twice', async () => {
  const s = await listen();
  try {
    s.listen(0);
  } finally {
    s.close();
  }
});
await t('close not running', async () => new Promise((d) => net.createServer().close((e) => d(e.code + e.message))));
await t('abort', async () => {
  const ac = new AbortController();
  const s = net.createServer();
  s.listen({ port: 0, signal: ac.signal });
  await once(s, 'listening');
  ac.abort();
  await once(s, 'close');
  return s.listening;
});
await t('setEnc', async () => {
  const s = await listen((c) => {
    for (const b of Buffer.from('ü€')) c.write(Buffer.from([b]));
    c.end();
  });
  const c = net.connect(s.address().port, '127.0.0.1');
  c.setEncoding('utf8');
  let o = '';
  for await (const x of c) o += x;
  s.close();
  return o;
});
await t('autoSelect', () => [net.getDefaultAutoSelectFamily?.(), net.getDefaultAutoSelectFamilyAttemptTimeout?.()]);
await t('unref', async () => {
  const s = await listen();
  return [s.unref() === s, s.ref() === s, s.unref() === s];
});
await t('asyncDispose', async () => typeof net.createServer()[Symbol.asyncDispose]);
