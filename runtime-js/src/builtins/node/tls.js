// `node:tls`: encrypted sockets over those of `node:net`.
import { adopt, EMIT_SOCKET, becomeReady, connectArguments, HANDLE, holdBack, networkError, PREPARE, Server as NetServer, Socket, CREATE_SOCKET } from 'lmthing:internal/net';
import { isIP } from 'node:net';
import { asBytes } from '../shared/bytes.js';
import { quietEnvironment } from '../shared/environment.js';
import { nodeError, notOffered } from '../shared/errors.js';
import { guarded } from '../shared/guarded.js';

/** Certificates and keys in native form: a list of bytes. */
function material(value) {
  if (value === undefined || value === null) return undefined;
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => asBytes(Buffer.from(item.pem ?? item)));
}

const CONTEXT = Symbol('context');

/** Merges `secureContext` and the other options. */
function contextOf(options) {
  return { ...options.secureContext?.[CONTEXT], ...options };
}

export function createSecureContext(options = {}) {
  refuse(options);
  return { [CONTEXT]: { ca: options.ca, cert: options.cert, key: options.key }, context: {} };
}

function refuse({ pfx, passphrase }) {
  if (pfx !== undefined) throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', "lmthing does not offer tls with 'pfx'; use 'key' and 'cert' in PEM form");
  if (passphrase !== undefined) throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', "lmthing does not offer tls with 'passphrase'; decrypt the key");
}

export function TLSSocket(socket, options = {}) {
  if (!(this instanceof TLSSocket)) return new TLSSocket(socket, options);
  Socket.call(this, { allowHalfOpen: options.allowHalfOpen, signal: options.signal, handle: options.handle, highWaterMark: options.highWaterMark });
  this.encrypted = true;
  this.authorized = false;
  this.authorizationError = null;
  this.alpnProtocol = null;
  this.servername = options.servername ?? null;
  this.secureConnecting = true;
  this._tlsOptions = options;
  holdBack(this);
  if (socket) wrap(this, socket);
}
Object.setPrototypeOf(TLSSocket.prototype, Socket.prototype);
Object.setPrototypeOf(TLSSocket, Socket);

const notOverStreams = () => nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'lmthing does not offer tls over a stream that is no net.Socket');

class JSStreamSocket {
  constructor() {
    throw notOverStreams();
  }
}

/**
 * TLS over other kinds of streams is not supported. `http2-wrapper` (of `got`) makes such a socket to find this class.
 */
function refuseStream(tls) {
  const fail = () => tls.destroy(notOverStreams());
  const value = { _parentWrap: Object.create(JSStreamSocket.prototype) };
  Object.defineProperty(tls, '_handle', { value, configurable: true });
  tls._read = fail;
  tls._write = fail;
}

/** Starts TLS on an established connection, such as one through a proxy. */
function wrap(tls, socket) {
  if (!(socket instanceof Socket)) {
    refuseStream(tls);
    return;
  }
  const take = () => {
    const handle = socket[HANDLE];
    if (!handle) {
      tls.destroy(notOverStreams());
      return;
    }
    // The original socket gets no more data.
    socket[HANDLE] = undefined;
    adopt(tls, handle);
    socket.unref();
    tls[PREPARE]();
  };
  if (socket.connecting) socket.once('connect', take);
  else process.nextTick(take);
  socket.on('error', (error) => tls.destroy(error));
}

const CERTIFICATE_CODES = /^(UNABLE|CERT|DEPTH|SELF|ERR_TLS_CERT)/;

async function shakeHands(socket) {
  const options = contextOf(socket._tlsOptions);
  const handle = socket[HANDLE];
  const alpn = options.ALPNProtocols ? [...options.ALPNProtocols].map(String) : undefined;
  const common = { ca: material(options.ca), cert: material(options.cert), key: material(options.key)?.[0], alpn };
  const outcome = options.isServer
    ? await handle.startTlsServer(common)
    : await handle.startTlsClient({ ...common, servername: options.servername || options.host || 'localhost', rejectUnauthorized: options.rejectUnauthorized !== false && quietEnvironment().NODE_TLS_REJECT_UNAUTHORIZED !== '0' });
  if (socket.destroyed) return false;
  if (outcome.code) {
    const error = networkError(outcome);
    if (options.isServer) socket.tlsFailure = error;
    if (CERTIFICATE_CODES.test(error.code)) socket.authorizationError = error.code;
    socket.destroy(error);
    return false;
  }
  const { protocol, alpn: agreed, certificate, cipher } = outcome.value;
  Object.assign(socket, { secureConnecting: false, authorized: !options.isServer && options.rejectUnauthorized !== false, alpnProtocol: agreed ?? false, _protocol: protocol, _cipher: cipher, _certificate: certificate });
  return true;
}

TLSSocket.prototype[PREPARE] = async function prepare() {
  if (!(await shakeHands(this))) return;
  becomeReady(this);
  guarded(() => this.emit('secure'));
  if (!this._tlsOptions.isServer) guarded(() => this.emit('secureConnect'));
  guarded(() => {
    if (!this.destroyed && !this.isPaused()) this.read(0);
  });
};
const methods = {
  getProtocol() {
    return this._protocol ?? null;
  },
  getPeerCertificate() {
    return this._certificate ? { raw: Buffer.from(this._certificate) } : {};
  },
  getCipher() {
    if (!this._cipher) return {};
    const standardName = this._cipher.replace(/^TLS13_/, 'TLS_');
    // OpenSSL has its own names for the ciphers of TLS 1.2.
    const name = this._protocol === 'TLSv1.3' ? standardName : standardName.replace(/^TLS_|WITH_/g, '').replace(/(AES|CHACHA20)_(128|256)/, '$1$2').replaceAll('_', '-').replace(/(CHACHA20-POLY1305)-SHA256/, '$1');
    return { name, standardName, version: this._protocol };
  },
  getSession: () => undefined,
  isSessionReused: () => false,
  setServername(name) {
    this._tlsOptions.servername = name;
  },
  setMaxSendFragment: () => true,
  disableRenegotiation() {},
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(TLSSocket.prototype, name, { value, writable: true, configurable: true });

export function connect(...values) {
  const [given, callback] = connectArguments(values);
  // Also accepts `connect(port, host, options)`.
  const more = values.slice(1).find((value) => typeof value === 'object' && value !== null);
  const options = { ...given, ...more };
  refuse(options);
  if (options.cert && options.key) notOffered('tls.connect with a certificate of the client')();
  const { host } = options;
  options.servername ??= host && !isIP(host) ? host : undefined;
  const socket = new TLSSocket(options.socket, options);
  if (callback) socket.once('secureConnect', callback);
  if (options.timeout) socket.setTimeout(options.timeout);
  if (!options.socket) socket.connect(options);
  else if (!(options.socket instanceof Socket)) socket.destroy(notOverStreams());
  return socket;
}

export function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  const [options, onSecure] = typeof given === 'function' ? [{}, given] : [given ?? {}, listener];
  refuse(options);
  NetServer.call(this, options);
  this._tlsOptions = options;
  if (onSecure) this.on('secureConnection', onSecure);
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);
Server.prototype[CREATE_SOCKET] = function welcome(handle) {
  const socket = new TLSSocket(undefined, { ...this._tlsOptions, handle, isServer: true });
  const failed = (error) => this.emit('tlsClientError', error, socket);
  socket.once('error', failed);
  socket.once('secure', () => {
    socket.removeListener('error', failed);
    this.emit('secureConnection', socket);
  });
  return socket;
};
Server.prototype[EMIT_SOCKET] = function announce(socket) {
  try {
    this.emit('connection', socket);
  } finally {
    if (!socket.destroyed) socket[PREPARE]();
  }
};
Server.prototype.setSecureContext = function setSecureContext(options) {
  this._tlsOptions = { ...this._tlsOptions, ...options };
};
Server.prototype.addContext = notOffered('tls.Server.addContext');

export const createServer = (options, listener) => new Server(options, listener);
export const checkServerIdentity = () => undefined;
export const DEFAULT_MIN_VERSION = 'TLSv1.2';
export const DEFAULT_MAX_VERSION = 'TLSv1.3';
export const rootCertificates = Object.freeze([]);
export const getCiphers = () => ['tls_aes_256_gcm_sha384', 'tls_aes_128_gcm_sha256', 'tls_chacha20_poly1305_sha256'];
export const DEFAULT_CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';
export const DEFAULT_ECDH_CURVE = 'auto';

export default { checkServerIdentity, connect, createSecureContext, createServer, DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE, DEFAULT_MAX_VERSION, DEFAULT_MIN_VERSION, getCiphers, rootCertificates, Server, TLSSocket };
