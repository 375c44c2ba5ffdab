import { Agent, ClientRequest, globalAgent as firstAgent, IncomingMessage, METHODS, OutgoingMessage, serverClass, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'lmthing:internal/http';
import { Server as NetServer } from 'node:net';

const settings = (options) => ({ allowHalfOpen: true, noDelay: options?.noDelay ?? true, keepAlive: options?.keepAlive, highWaterMark: options?.highWaterMark });
export const Server = serverClass(NetServer, settings, 'connection');

let globalAgent = firstAgent;
const withDefault = (input, options, callback) => {
  // A script may have replaced the global agent.
  if (globalAgent === firstAgent) return new ClientRequest(input, options, callback);
  if (typeof input === 'string' || input instanceof URL) return new ClientRequest(input, { _defaultAgent: globalAgent, ...(typeof options === 'object' ? options : {}) }, typeof options === 'function' ? options : callback);
  return new ClientRequest({ _defaultAgent: globalAgent, ...input }, options, callback);
};

export const createServer = (options, listener) => new Server(options, listener);
export const request = (input, options, callback) => withDefault(input, options, callback);
export function get(input, options, callback) {
  const made = request(input, options, callback);
  made.end();
  return made;
}
export const maxHeaderSize = 16384;
export const setMaxIdleHTTPParsers = () => {};
export const _connectionListener = undefined;

export { Agent, ClientRequest, firstAgent as globalAgent, IncomingMessage, METHODS, OutgoingMessage, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue };

const http = { Agent, ClientRequest, createServer, get, IncomingMessage, maxHeaderSize, METHODS, OutgoingMessage, request, Server, ServerResponse, setMaxIdleHTTPParsers, STATUS_CODES, validateHeaderName, validateHeaderValue };
Object.defineProperty(http, 'globalAgent', {
  get: () => globalAgent,
  set: (agent) => void (globalAgent = agent),
  enumerable: true,
  configurable: true,
});
export default http;
