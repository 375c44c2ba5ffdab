// Host name lookup for sockets and `dns.lookup`.
import { ipVersion, lookup as lookupNative } from 'lmthing:internal/native/network';
import { networkError } from './errors.js';

/** All addresses of a name, `[{address, family}]`, optionally of one family. */
export async function addressesOf(hostname, family = 0) {
  const version = ipVersion(hostname);
  if (version !== 0) return [{ address: hostname, family: version }];
  const outcome = await lookupNative(hostname);
  if (outcome.code) throw networkError(outcome, { hostname });
  const all = outcome.value.map(([address, kind]) => ({ address, family: kind }));
  const wanted = family === 0 ? all : all.filter((entry) => entry.family === family);
  if (wanted.length === 0) throw networkError({ code: 'ENOTFOUND', number: 3008, syscall: 'getaddrinfo' }, { hostname });
  return wanted;
}

/** The same by the caller's `lookup` function. */
export function addressesBy(lookup, hostname, options) {
  return new Promise((resolve, reject) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) reject(error);
      else if (Array.isArray(address)) resolve(address);
      else resolve([{ address, family: family ?? ipVersion(address) }]);
    });
  });
}
