// `node:worker_threads`: the main thread, without workers.
import { receiveMessageOnPort } from 'lmthing:internal/web/message-channel';
import { notOffered } from '../shared/errors.js';

const { MessageChannel, MessagePort, BroadcastChannel } = globalThis;
const instead = 'do the work in promises, or start a child process (node:child_process)';
const missing = (name) => class {
  constructor() {
    notOffered(`worker_threads.${name}`, instead)();
  }
};

export const isMainThread = true;
export const parentPort = null;
export const workerData = null;
export const threadId = 0;
export const resourceLimits = {};
export const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');
export const Worker = missing('Worker');
const Port = MessagePort ?? missing('MessagePort');
const PortPair = MessageChannel ?? missing('MessageChannel');
const Broadcast = BroadcastChannel ?? missing('BroadcastChannel');
export const moveMessagePortToContext = notOffered('worker_threads.moveMessagePortToContext', instead);
export const postMessageToThread = notOffered('worker_threads.postMessageToThread', instead);
/** Nothing is ever transferred. */
export const markAsUntransferable = () => {};

const data = new Map();
export function setEnvironmentData(key, value) {
  if (value === undefined) data.delete(key);
  else data.set(key, value);
}
export const getEnvironmentData = (key) => data.get(key);

export { receiveMessageOnPort, Broadcast as BroadcastChannel, Port as MessagePort, PortPair as MessageChannel };
export default {
  BroadcastChannel: Broadcast, getEnvironmentData, isMainThread, markAsUntransferable, MessageChannel: PortPair, MessagePort: Port,
  moveMessagePortToContext, parentPort, postMessageToThread, receiveMessageOnPort, resourceLimits, setEnvironmentData, SHARE_ENV,
  threadId, Worker, workerData,
};
