// `MessageChannel`, `MessagePort`, `MessageEvent` and `BroadcastChannel` within one program.
import { Event, EventTarget } from 'lmthing:internal/web/events';
import { structuredClone } from 'lmthing:internal/web/structured-clone';
import { createLoopHandle } from 'lmthing:internal/native/alive';
import { brand } from '../shared/brand.js';
import { nodeError } from '../shared/errors.js';

export class MessageEvent extends Event {
  #init;

  constructor(type, init = {}) {
    super(type, init);
    this.#init = init ?? {};
  }

  get data() {
    return this.#init.data ?? null;
  }

  get origin() {
    return this.#init.origin ?? '';
  }

  get lastEventId() {
    return this.#init.lastEventId ?? '';
  }

  get source() {
    return this.#init.source ?? null;
  }

  get ports() {
    return this.#init.ports ?? [];
  }
}
brand(MessageEvent, 'MessageEvent');

const making = Symbol('making');
/** The last message of a port whose other end was closed. */
const CLOSE = Symbol('close');

export class MessagePort extends EventTarget {
  #other;
  #waiting = [];
  #started = false;
  #closed = false;
  #loopHandle = createLoopHandle();
  #handlers = {};
  /** Wrappers of listeners added through Node's emitter methods. */
  #wrapped = new Map();

  constructor(token) {
    if (token !== making) throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_CONSTRUCT_CALL_INVALID' });
    super();
  }

  static pair() {
    const [first, second] = [new MessagePort(making), new MessagePort(making)];
    first.#other = second;
    second.#other = first;
    return [first, second];
  }

  postMessage(message, options = undefined) {
    if (arguments.length === 0) throw Object.assign(new TypeError('The "message" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
    const transfer = Array.isArray(options) ? options : options?.transfer;
    const data = structuredClone(message, transfer ? { transfer } : undefined);
    if (!this.#closed && !this.#other.#closed) this.#other.#take(data);
  }

  #take(data) {
    this.#waiting.push(data);
    setImmediate(() => this.#deliver());
  }

  #deliver() {
    if (this.#closed || this.#waiting.length === 0) return;
    // The end is processed even without listeners, but after earlier messages.
    if (this.#waiting[0] === CLOSE) {
      this.close();
      return;
    }
    if (!this.#started) return;
    this.dispatchEvent(new MessageEvent('message', { data: this.#waiting.shift(), source: null }));
  }

  start() {
    if (this.#started || this.#closed) return;
    this.#started = true;
    this.ref();
    for (let count = this.#waiting.length; count > 0; count--) setImmediate(() => this.#deliver());
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.unref();
    setImmediate(() => this.dispatchEvent(new Event('close')));
    if (!this.#other.#closed) this.#other.#take(CLOSE);
  }

  ref() {
    this.#loopHandle.setReferenced(true);
    this.#loopHandle.setActive(!this.#closed);
  }

  unref() {
    this.#loopHandle.setReferenced(false);
  }

  hasRef() {
    return this.#loopHandle.isAlive();
  }

  #handler(type, listener) {
    if (this.#handlers[type]) this.removeEventListener(type, this.#handlers[type]);
    this.#handlers[type] = typeof listener === 'function' ? listener : null;
    if (!this.#handlers[type]) return;
    this.addEventListener(type, listener);
    if (type === 'message') this.start();
  }

  get onmessage() {
    return this.#handlers.message ?? null;
  }

  set onmessage(listener) {
    this.#handler('message', listener);
  }

  get onmessageerror() {
    return this.#handlers.messageerror ?? null;
  }

  set onmessageerror(listener) {
    this.#handler('messageerror', listener);
  }

  on(type, listener) {
    const wrapped = (event) => listener.call(this, type === 'message' ? event.data : undefined);
    this.#wrapped.set(listener, wrapped);
    this.addEventListener(type, wrapped);
    if (type === 'message') this.start();
    return this;
  }

  once(type, listener) {
    const once = (...values) => {
      this.off(type, listener);
      listener.apply(this, values);
    };
    this.on(type, once);
    this.#wrapped.set(listener, this.#wrapped.get(once));
    return this;
  }

  off(type, listener) {
    this.removeEventListener(type, this.#wrapped.get(listener) ?? listener);
    return this;
  }

  /** For `worker_threads.receiveMessageOnPort`: the next message, `{message}`, synchronously. */
  static receive(port) {
    if (!(#waiting in Object(port))) return receiveFromChannel(port);
    return port.#waiting.length > 0 && port.#waiting[0] !== CLOSE ? { message: port.#waiting.shift() } : undefined;
  }
}
Object.defineProperties(MessagePort.prototype, { addListener: { value: MessagePort.prototype.on, writable: true, configurable: true }, removeListener: { value: MessagePort.prototype.off, writable: true, configurable: true } });
brand(MessagePort, 'MessagePort');
const { pair, receive } = MessagePort;
delete MessagePort.receive;
delete MessagePort.pair;

export class MessageChannel {
  constructor() {
    [this.port1, this.port2] = pair();
  }
}
brand(MessageChannel, 'MessageChannel');

export const receiveMessageOnPort = receive;

/** Open channels by name. */
const channels = new Map();

/** Sends messages to all other channels of its name. */
export class BroadcastChannel extends EventTarget {
  #name;
  #waiting = [];
  #closed = false;
  #loopHandle = createLoopHandle();
  #handlers = {};

  constructor(name) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
    super();
    this.#name = `${name}`;
    if (!channels.has(this.#name)) channels.set(this.#name, new Set());
    channels.get(this.#name).add(this);
    this.ref();
  }

  get name() {
    return this.#name;
  }

  postMessage(message) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
    if (this.#closed) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
    // Throws for values that cannot be cloned, even without receivers.
    const copy = structuredClone(message);
    for (const channel of channels.get(this.#name)) {
      if (channel === this) continue;
      channel.#waiting.push(structuredClone(copy));
      setImmediate(() => channel.#deliver());
    }
  }

  #deliver() {
    if (this.#closed || this.#waiting.length === 0) return;
    this.dispatchEvent(new MessageEvent('message', { data: this.#waiting.shift() }));
  }

  static receive(channel) {
    if (!(#waiting in Object(channel))) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance');
    return channel.#waiting.length > 0 ? { message: channel.#waiting.shift() } : undefined;
  }

  close() {
    this.#closed = true;
    const others = channels.get(this.#name);
    others?.delete(this);
    if (others?.size === 0) channels.delete(this.#name);
    this.unref();
  }

  ref() {
    this.#loopHandle.setReferenced(true);
    this.#loopHandle.setActive(!this.#closed);
    return this;
  }

  unref() {
    this.#loopHandle.setReferenced(false);
    return this;
  }

  #handle(type, listener) {
    if (this.#handlers[type]) this.removeEventListener(type, this.#handlers[type]);
    this.#handlers[type] = typeof listener === 'function' ? listener : null;
    if (this.#handlers[type]) this.addEventListener(type, listener);
  }

  get onmessage() {
    return this.#handlers.message ?? null;
  }
  set onmessage(listener) {
    this.#handle('message', listener);
  }

  get onmessageerror() {
    return this.#handlers.messageerror ?? null;
  }
  set onmessageerror(listener) {
    this.#handle('messageerror', listener);
  }
}
brand(BroadcastChannel, 'BroadcastChannel', false);
const { receive: receiveFromChannel } = BroadcastChannel;
delete BroadcastChannel.receive;
