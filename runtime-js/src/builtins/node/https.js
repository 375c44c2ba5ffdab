import { Agent as HttpAgent, ClientRequest, serverClass } from 'lmthing:internal/http';
import { connect, Server as TlsServer } from 'node:tls';

export function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  HttpAgent.call(this, options);
  this.defaultPort = 443;
  this.protocol = 'https:';
  this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
}
Object.setPrototypeOf(Agent.prototype, HttpAgent.prototype);
Object.setPrototypeOf(Agent, HttpAgent);
Agent.prototype.createConnection = function createConnection(options, _callback) {
  return connect(options);
};
Agent.prototype.getName = function getName(options = {}) {
  // Connections with different trust settings are not shared.
  const settings = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized', 'ALPNProtocols'].map((name) => (options[name] === undefined ? '' : String(options[name])));
  return `${HttpAgent.prototype.getName.call(this, options)}:${settings.join(':')}`;
};

let globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

const settings = (options) => ({ ALPNProtocols: ['http/1.1'], allowHalfOpen: true, noDelay: true, ...options });
export const Server = serverClass(TlsServer, settings, 'secureConnection');

export const createServer = (options, listener) => new Server(options, listener);

export function request(input, options, callback) {
  const isUrl = typeof input === 'string' || input instanceof URL;
  const own = { _defaultAgent: globalAgent };
  if (!isUrl) return new ClientRequest({ ...own, ...input }, options, callback);
  return new ClientRequest(input, { ...own, ...(typeof options === 'object' ? options : {}) }, typeof options === 'function' ? options : callback);
}

export function get(input, options, callback) {
  const made = request(input, options, callback);
  made.end();
  return made;
}

export { globalAgent };
const https = { Agent, createServer, get, request, Server };
Object.defineProperty(https, 'globalAgent', {
  get: () => globalAgent,
  set: (agent) => void (globalAgent = agent),
  enumerable: true,
  configurable: true,
});
export default https;
