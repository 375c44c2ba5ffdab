// `node:dns`, using the system's resolver.
import { addressesOf } from 'lmthing:internal/net';
import { invalidArgumentType, nodeError, notOffered } from '../shared/errors.js';

function settings(given) {
  const options = typeof given === 'number' ? { family: given } : (given ?? {});
  const family = { IPv4: 4, IPv6: 6 }[options.family] ?? options.family ?? 0;
  if (![0, 4, 6].includes(family)) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.family' must be one of: 0, 4, 6. Received ${family}`);
  }
  return { family, all: Boolean(options.all), order: options.order ?? (options.verbatim === false ? 'ipv4first' : order) };
}

let order = 'verbatim';
const sorted = (addresses, wanted) => (wanted === 'ipv4first' ? addresses.toSorted((a, b) => a.family - b.family) : addresses);

async function find(hostname, options) {
  if (!hostname) return options.all ? [] : { address: null, family: options.family === 6 ? 6 : 4 };
  const addresses = sorted(await addressesOf(hostname, options.family), options.order);
  return options.all ? addresses : addresses[0];
}

function checkedName(hostname) {
  if (hostname && typeof hostname !== 'string') throw invalidArgumentType('hostname', 'of type string', hostname);
}

export function lookup(hostname, given, callback) {
  const done = typeof given === 'function' ? given : callback;
  checkedName(hostname);
  if (typeof done !== 'function') throw invalidArgumentType('callback', 'of type function', done);
  const options = settings(typeof given === 'function' ? undefined : given);
  const later = (...values) => setImmediate(() => done(...values));
  find(hostname, options).then((found) => (options.all ? later(null, found) : later(null, found.address, found.family)), (error) => later(error));
  return {};
}

async function lookupPromise(hostname, given) {
  checkedName(hostname);
  return find(hostname, settings(given));
}

/** The errors are those of a query, as from c-ares. */
const resolveFamily = (family, syscall) => async (hostname) => {
  try {
    return (await addressesOf(hostname, family)).map(({ address }) => address);
  } catch (error) {
    if (error?.name === 'PermissionError') throw error;
    throw Object.assign(new Error(`${syscall} ENOTFOUND ${hostname}`), { errno: undefined, code: 'ENOTFOUND', syscall, hostname });
  }
};
const resolve4Promise = resolveFamily(4, 'queryA');
const resolve6Promise = resolveFamily(6, 'queryAaaa');

const callbackOf = (promised) => (hostname, ...rest) => {
  const callback = rest.at(-1);
  if (typeof callback !== 'function') throw invalidArgumentType('callback', 'of type function', callback);
  promised(hostname).then((value) => setImmediate(() => callback(null, value)), (error) => setImmediate(() => callback(error)));
};

export const resolve4 = callbackOf(resolve4Promise);
export const resolve6 = callbackOf(resolve6Promise);

const RECORDS = ['resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTxt', 'reverse', 'lookupService', 'getServers', 'setServers'];
const refused = (prefix) => Object.fromEntries(RECORDS.map((name) => [name, notOffered(`${prefix}.${name}`, 'only addresses are looked up, with lookup, resolve4 and resolve6')]));

async function resolvePromise(hostname, type = 'A') {
  if (type === 'A') return resolve4Promise(hostname);
  if (type === 'AAAA') return resolve6Promise(hostname);
  return refused('dns').resolveAny();
}
export const resolve = (hostname, type, callback) => (typeof type === 'function' ? resolve4(hostname, type) : callbackOf((name) => resolvePromise(name, type))(hostname, callback));

export const getDefaultResultOrder = () => order;
export const setDefaultResultOrder = (value) => void (order = value);
export const Resolver = notOffered('dns.Resolver');

const ERRORS = { NODATA: 'ENODATA', FORMERR: 'EFORMERR', SERVFAIL: 'ESERVFAIL', NOTFOUND: 'ENOTFOUND', NOTIMP: 'ENOTIMP', REFUSED: 'EREFUSED', BADQUERY: 'EBADQUERY', BADNAME: 'EBADNAME', BADFAMILY: 'EBADFAMILY', BADRESP: 'EBADRESP', CONNREFUSED: 'ECONNREFUSED', TIMEOUT: 'ETIMEOUT', EOF: 'EOF', FILE: 'EFILE', NOMEM: 'ENOMEM', DESTRUCTION: 'EDESTRUCTION', BADSTR: 'EBADSTR', BADFLAGS: 'EBADFLAGS', NONAME: 'ENONAME', BADHINTS: 'EBADHINTS', NOTINITIALIZED: 'ENOTINITIALIZED', LOADIPHLPAPI: 'ELOADIPHLPAPI', ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS', CANCELLED: 'ECANCELLED' };
export const { NODATA, FORMERR, SERVFAIL, NOTFOUND, NOTIMP, REFUSED, TIMEOUT, CONNREFUSED, CANCELLED } = ERRORS;
export const [ADDRCONFIG, ALL, V4MAPPED] = [32, 16, 8];

export const promises = { ...refused('dns.promises'), ...ERRORS, getDefaultResultOrder, lookup: lookupPromise, resolve: resolvePromise, resolve4: resolve4Promise, resolve6: resolve6Promise, Resolver, setDefaultResultOrder };
const all = { ...refused('dns'), ...ERRORS, ADDRCONFIG, ALL, getDefaultResultOrder, lookup, promises, resolve, resolve4, resolve6, Resolver, setDefaultResultOrder, V4MAPPED };
export const { resolveAny, resolveCaa, resolveCname, resolveMx, resolveNaptr, resolveNs, resolvePtr, resolveSoa, resolveSrv, resolveTxt, reverse, lookupService, getServers, setServers } = all;
export default all;
