// Processors and networks of Linux, read from `/proc` and `/sys`.
import { importBuiltin } from 'lmthing:internal/native/modules';

const TICK = 10; // milliseconds of one tick in /proc/stat

/** Empty if the file does not exist. */
function linesOf(path) {
  try {
    return importBuiltin('node:fs').default.readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}

const valuesOf = (lines, name) => lines.filter((line) => line.startsWith(name)).map((line) => line.split(':').slice(1).join(':').trim());

/** `[{model, speed, times}]`; empty if unavailable. */
export function readProcessors() {
  const info = linesOf('/proc/cpuinfo');
  const [models, speeds] = [valuesOf(info, 'model name'), valuesOf(info, 'cpu MHz')];
  return linesOf('/proc/stat')
    .filter((line) => /^cpu\d/.test(line))
    .map((line, index) => {
      const [user, nice, sys, idle, , irq] = line.split(/\s+/).slice(1).map((ticks) => ticks * TICK);
      return { model: models[index] ?? 'unknown', speed: Math.trunc(speeds[index] ?? 0), times: { user, nice, sys, idle, irq } };
    });
}

/** Decodes an address in /proc/net/route: hexadecimal in native byte order. */
const dotted = (hex) => hex.match(/../g).reverse().map((byte) => parseInt(byte, 16)).join('.');
const number = (address) => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const bitsOf = (mask) => number(mask).toString(2).replaceAll('0', '').length;

/** The machine's IPv4 addresses with interface and mask. */
function version4() {
  const lines = linesOf('/proc/net/fib_trie');
  const own = lines.flatMap((line, index) => (/\/32 host LOCAL/.test(line) ? (/(\d+\.){3}\d+/.exec(lines[index - 1])?.[0] ?? []) : []));
  const routes = linesOf('/proc/net/route').slice(1).map((line) => line.split(/\s+/));
  return [...new Set(own)].flatMap((address) => {
    if (address.startsWith('127.')) return [{ name: 'lo', address, netmask: '255.0.0.0' }];
    const near = ([, to, , , , , , mask]) => mask !== '00000000' && ((number(address) & number(dotted(mask))) >>> 0) === number(dotted(to));
    const route = routes.find(near) ?? routes.find(([, to]) => to === '00000000');
    return route ? [{ name: route[0], address, netmask: route[7] === '00000000' ? '255.255.255.255' : dotted(route[7]) }] : [];
  });
}

/** `0000…0001` as `::1`. */
const shortened = (groups) => new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);

function version6() {
  return linesOf('/proc/net/if_inet6').map((line) => {
    const [hex, index, length, , , name] = line.trim().split(/\s+/);
    const bits = parseInt(length, 16);
    const mask = '1'.repeat(bits).padEnd(128, '0').match(/.{16}/g).map((group) => parseInt(group, 2).toString(16));
    const address = shortened(hex.match(/.{4}/g));
    return { name, address, netmask: shortened(mask), bits, scopeid: /^fe[89ab]/.test(address) ? parseInt(index, 16) : 0 };
  });
}

/** The result of `os.networkInterfaces()`. */
export function readNetworks() {
  const networks = {};
  const add = (name, entry, bits) => {
    const [mac = '00:00:00:00:00:00'] = linesOf(`/sys/class/net/${name}/address`);
    const { address, netmask, family, scopeid } = entry;
    const scope = scopeid === undefined ? {} : { scopeid };
    (networks[name] ??= []).push({ address, netmask, family, mac, internal: name === 'lo', cidr: `${address}/${bits}`, ...scope });
  };
  for (const entry of version4()) add(entry.name, { ...entry, family: 'IPv4' }, bitsOf(entry.netmask));
  for (const entry of version6()) add(entry.name, { ...entry, family: 'IPv6' }, entry.bits);
  return networks;
}
