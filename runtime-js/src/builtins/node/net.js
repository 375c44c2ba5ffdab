import { ipVersion } from 'lmthing:internal/native/network';
import { BlockList, connectArguments, Server, SocketAddress, Socket } from 'lmthing:internal/net';

export const isIP = (text) => (typeof text === 'string' ? ipVersion(text) : text === undefined || text === null ? 0 : ipVersion(String(text)));
export const isIPv4 = (text) => isIP(text) === 4;
export const isIPv6 = (text) => isIP(text) === 6;

export function connect(...values) {
  const [options, callback] = connectArguments(values);
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(options, callback);
}
export const createConnection = connect;
export const createServer = (options, listener) => new Server(options, listener);

let autoSelectFamily = true;
let attemptTimeout = 250;
export const getDefaultAutoSelectFamily = () => autoSelectFamily;
export const setDefaultAutoSelectFamily = (value) => void (autoSelectFamily = Boolean(value));
export const getDefaultAutoSelectFamilyAttemptTimeout = () => attemptTimeout;
export const setDefaultAutoSelectFamilyAttemptTimeout = (value) => void (attemptTimeout = Math.max(10, value));
/** Used by `http` and `tls`. */
export const _normalizeArgs = connectArguments;

export { BlockList, Server, Socket, SocketAddress, Socket as Stream };
export default {
  _normalizeArgs, BlockList, connect, createConnection, createServer, getDefaultAutoSelectFamily, getDefaultAutoSelectFamilyAttemptTimeout, isIP, isIPv4, isIPv6,
  Server, setDefaultAutoSelectFamily, setDefaultAutoSelectFamilyAttemptTimeout, Socket, SocketAddress, Stream: Socket,
};
