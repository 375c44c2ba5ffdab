// Implementation shared by `node:http`, `node:https` and `node:_http_common`.
export { Agent, globalAgent } from './agent.js';
export { hasBadContent, isToken, validateHeaderName, validateHeaderValue } from './checks.js';
export { ClientRequest, urlToOptions } from './client.js';
export { IncomingMessage } from './incoming.js';
export { METHODS, STATUS_CODES } from './names.js';
export { OutgoingMessage } from './outgoing.js';
export { isParseError, unexpectedEnd } from './parse-error.js';
export { MessageParser } from './parser.js';
export { ServerResponse } from './response.js';
export { serverClass } from './server.js';
