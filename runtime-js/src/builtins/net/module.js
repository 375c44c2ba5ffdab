// The classes of `node:net`, and what `node:tls` needs of their insides.
export { networkError } from './errors.js';
export { addressesOf } from './lookup.js';
export { BlockList, SocketAddress } from './block-list.js';
export { ANNOUNCE, Server, WELCOME } from './server.js';
export { becomeReady, connectArguments, HANDLE, holdBack, adopt, PREPARE, Socket } from './socket.js';
