// `net.BlockList` and `net.SocketAddress`.
import { inspect } from 'lmthing:internal/inspect';
import { ipVersion } from 'lmthing:internal/native/network';
import { brand } from '../shared/brand.js';
import { invalidArgumentType, nodeError, outOfRange } from '../shared/errors.js';

const VERSIONS = { ipv4: 4, ipv6: 6 };
const SHOWN = { ipv4: 'IPv4', ipv6: 'IPv6' };
const BITS = { ipv4: 32, ipv6: 128 };
const MAPPED = 0xffffn << 32n;

const invalidArgumentValue = (name, value, reason = 'is invalid') => nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${inspect(value)}`);

function checkAddress(address, family) {
  if (typeof address !== 'string') throw invalidArgumentType('address', 'of type string', address);
  if (typeof family !== 'string') throw invalidArgumentType('family', 'of type string', family);
  const kind = family.toLowerCase();
  if (!(kind in VERSIONS)) throw invalidArgumentValue('options.family', family);
  if (ipVersion(address) !== VERSIONS[kind]) throw nodeError(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
  return kind;
}

const ofParts = (parts, bits) => parts.reduce((all, part) => (all << bits) | BigInt(part), 0n);
const ofIPv4 = (address) => ofParts(address.split('.'), 8n);

/** The address as a number, for range comparisons. */
function numberOf(address, family) {
  if (family === 'ipv4') return ofIPv4(address);
  let text = address.split('%')[0];
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(text);
  if (dotted) {
    const number = ofIPv4(dotted[0]);
    text = `${text.slice(0, dotted.index)}${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  }
  const [head, tail] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return ofParts(groups.map((group) => `0x${group}`), 16n);
}

function integer(value, name, most) {
  if (typeof value !== 'number') throw invalidArgumentType(name, 'of type number', value);
  if (!Number.isInteger(value) || value < 0 || value > most) throw outOfRange(name, `>= 0 && <= ${most}`, value);
  return value;
}

const SHOW = Symbol.for('nodejs.util.inspect.custom');

export class SocketAddress {
  #facts;

  constructor(options = {}) {
    if (typeof options !== 'object' || options === null) throw invalidArgumentType('options', 'of type object', options);
    const { family = 'ipv4', port = 0, flowlabel = 0 } = options;
    const { address = String(family).toLowerCase() === 'ipv6' ? '::' : '127.0.0.1' } = options;
    const kind = checkAddress(address, family);
    if (!Number.isInteger(Number(port)) || port < 0 || port > 65535) {
      throw nodeError(RangeError, 'ERR_SOCKET_BAD_PORT', `options.port should be >= 0 and < 65536. Received type ${typeof port} (${port}).`);
    }
    this.#facts = { address, port: Number(port), family: kind, flowlabel: integer(flowlabel, 'options.flowlabel', 0xffffffff) };
  }

  get address() {
    return this.#facts.address;
  }

  get port() {
    return this.#facts.port;
  }

  get family() {
    return this.#facts.family;
  }

  get flowlabel() {
    return this.#facts.flowlabel;
  }

  toJSON() {
    return { ...this.#facts };
  }

  [SHOW](depth, options) {
    return depth < 0 ? this : `SocketAddress ${inspect(this.toJSON(), { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
  }
}

brand(SocketAddress, 'SocketAddress', false);

const socketAddress = (address, family = 'ipv4') => {
  if (address instanceof SocketAddress) return address;
  if (typeof address !== 'string') throw invalidArgumentType('address', 'of type string', address);
  if (typeof family !== 'string') throw invalidArgumentType('family', 'of type string', family);
  return new SocketAddress({ address, family });
};

function placeOf(given, family) {
  const { address, family: kind } = socketAddress(given, family);
  return [address, kind];
}

export class BlockList {
  #entries = [];

  #add(family, first, last, rule) {
    this.#entries.unshift({ family, first, last, rule: rule(SHOWN[family]) });
  }

  addAddress(given, family) {
    const [address, kind] = placeOf(given, family);
    const number = numberOf(address, kind);
    this.#add(kind, number, number, (shown) => `Address: ${shown} ${address}`);
  }

  addRange(from, to, family) {
    const [start, kind] = placeOf(from, family);
    const [end, endKind] = placeOf(to, family);
    const [first, last] = [numberOf(start, kind), numberOf(end, endKind)];
    // Addresses of different families are not ordered.
    if (kind === endKind && first > last) throw invalidArgumentValue('start', socketAddress(from, family), 'must come before end');
    this.#add(kind, first, last, (shown) => `Range: ${shown} ${start}-${end}`);
  }

  addSubnet(given, prefix, family) {
    const [network, kind] = placeOf(given, family);
    const rest = BigInt(BITS[kind] - integer(prefix, 'prefix', BITS[kind]));
    const first = (numberOf(network, kind) >> rest) << rest;
    this.#add(kind, first, first + (1n << rest) - 1n, (shown) => `Subnet: ${shown} ${network}/${prefix}`);
  }

  check(given, family) {
    let place;
    try {
      place = placeOf(given, family);
    } catch (error) {
      // An invalid address is in no list.
      if (error.code === 'ERR_INVALID_ADDRESS') return false;
      throw error;
    }
    const [address, kind] = place;
    const number = numberOf(address, kind);
    const within = (wanted, sought) => this.#entries.some((entry) => entry.family === wanted && entry.first <= sought && sought <= entry.last);
    if (within(kind, number)) return true;
    // An IPv4-mapped IPv6 address is matched as IPv4.
    if (kind === 'ipv4') return within('ipv6', MAPPED | number);
    return number >> 32n === MAPPED >> 32n && within('ipv4', number & 0xffffffffn);
  }

  [SHOW](depth, options) {
    return depth < 0 ? this : `BlockList ${inspect({ rules: this.rules }, { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
  }

  get rules() {
    return this.#entries.map(({ rule }) => rule);
  }
}
brand(BlockList, 'BlockList', false);
