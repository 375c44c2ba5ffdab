// Implementation shared by `node:http` and `node:https`.
export { Agent, globalAgent } from './agent.js';
export { validateHeaderName, validateHeaderValue } from './checks.js';
export { ClientRequest, urlToOptions } from './client.js';
export { IncomingMessage } from './incoming.js';
export { METHODS, STATUS_CODES } from './names.js';
export { OutgoingMessage } from './outgoing.js';
export { ServerResponse } from './response.js';
export { serverClass } from './server.js';
