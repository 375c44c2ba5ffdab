// Node's errors for native network failures `{code, number, syscall, message?}`.

const WORDS = { EADDRINUSE: 'address already in use', EADDRNOTAVAIL: 'address not available', EACCES: 'permission denied', EINVAL: 'invalid argument', ENOENT: 'no such file or directory' };

/** The details are an address with or without a port, or a path. */
export function networkError({ code, number, syscall, message }, { address, port, hostname } = {}) {
  if (message) return Object.assign(new Error(message), { code });
  let text = `${syscall} ${code}`;
  if (syscall === 'listen') text += `: ${WORDS[code] ?? 'failed'}`;
  if (hostname !== undefined) text += ` ${hostname}`;
  if (address !== undefined) text += ` ${address}${port === undefined ? '' : `:${port}`}`;
  const error = Object.assign(new Error(text), { errno: -number, code, syscall });
  if (hostname !== undefined) error.hostname = hostname;
  if (address !== undefined) error.address = address;
  if (port !== undefined) error.port = port;
  return error;
}
