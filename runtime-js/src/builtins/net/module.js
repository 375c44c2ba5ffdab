// Implementation shared by `node:net` and `node:tls`.
export { networkError } from './errors.js';
export { addressesOf } from './lookup.js';
export { BlockList, SocketAddress } from './block-list.js';
export { EMIT_SOCKET, Server, CREATE_SOCKET } from './server.js';
export { becomeReady, connectArguments, HANDLE, holdBack, adopt, PREPARE, Socket } from './socket.js';
