// `node:dgram`: importable, but not supported.
import { refused } from '../shared/refused-module.js';

const dgram = refused('dgram', ['createSocket', 'Socket']);
export const { createSocket, Socket } = dgram;
export default dgram;
