// `node:http`.
import { Agent, ClientRequest, globalAgent as firstAgent, IncomingMessage, initialize, METHODS, OutgoingMessage, serverMethods, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'lmthing:internal/http';
import { Server as NetServer } from 'node:net';

export function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  const [options, onRequest] = typeof given === 'function' ? [undefined, given] : [given, listener];
  NetServer.call(this, { allowHalfOpen: true, noDelay: options?.noDelay ?? true, keepAlive: options?.keepAlive });
  initialize(this, options, onRequest, 'connection');
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);
Object.assign(Server.prototype, serverMethods);
Server.prototype.close = function close(callback) {
  this.closeIdleConnections();
  return NetServer.prototype.close.call(this, callback);
};

let globalAgent = firstAgent;
const withDefault = (input, options, callback) => {
  // The agent for all may have been replaced.
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
