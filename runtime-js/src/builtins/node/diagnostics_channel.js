import process from 'lmthing:internal/process';
import { invalidArgumentType } from '../shared/errors.js';

const checkSubscription = (value, name = 'subscription') => {
  if (typeof value !== 'function') throw invalidArgumentType(name, 'of type function', value);
};

/** An exception in a subscriber is uncaught; the others still run. */
function reportLater(error) {
  process.nextTick(() => {
    throw error;
  });
}

export class Channel {
  #subscribers = [];
  #stores = new Map();

  constructor(name) {
    this.name = name;
  }

  get hasSubscribers() {
    return this.#subscribers.length > 0 || this.#stores.size > 0;
  }

  subscribe(subscription) {
    checkSubscription(subscription);
    this.#subscribers = [...this.#subscribers, subscription];
  }

  unsubscribe(subscription) {
    const index = this.#subscribers.indexOf(subscription);
    if (index < 0) return false;
    this.#subscribers = this.#subscribers.toSpliced(index, 1);
    return true;
  }

  publish(data) {
    for (const subscription of this.#subscribers) {
      try {
        subscription(data, this.name);
      } catch (error) {
        reportLater(error);
      }
    }
  }

  bindStore(store, transform) {
    this.#stores.set(store, transform);
  }

  unbindStore(store) {
    return this.#stores.delete(store);
  }

  runStores(data, callback, receiver, ...values) {
    let run = () => {
      this.publish(data);
      return Reflect.apply(callback, receiver, values);
    };
    for (const [store, transform] of this.#stores) {
      const inner = run;
      run = () => {
        let value = data;
        try {
          if (transform) value = transform(data);
        } catch (error) {
          reportLater(error);
          return inner();
        }
        return store.run(value, inner);
      };
    }
    return run();
  }
}

const channels = new Map();

export function channel(name) {
  if (typeof name !== 'string' && typeof name !== 'symbol') throw invalidArgumentType('channel', 'one of type string or symbol', name);
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}
export const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;
export const subscribe = (name, subscription) => channel(name).subscribe(subscription);
export const unsubscribe = (name, subscription) => channel(name).unsubscribe(subscription);

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

class TracingChannel {
  constructor(nameOrChannels) {
    for (const event of EVENTS) {
      this[event] = typeof nameOrChannels === 'string' ? channel(`tracing:${nameOrChannels}:${event}`) : nameOrChannels[event];
    }
  }

  get hasSubscribers() {
    return EVENTS.some((event) => this[event]?.hasSubscribers);
  }

  subscribe(handlers) {
    for (const event of EVENTS) if (handlers[event]) this[event]?.subscribe(handlers[event]);
  }

  unsubscribe(handlers) {
    return EVENTS.filter((event) => handlers[event]).every((event) => this[event]?.unsubscribe(handlers[event]));
  }

  #traced(context, run) {
    return this.start.runStores(context, () => {
      try {
        return run();
      } catch (error) {
        context.error = error;
        this.error.publish(context);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  traceSync(callback, context = {}, receiver = undefined, ...values) {
    return this.#traced(context, () => {
      const result = Reflect.apply(callback, receiver, values);
      context.result = result;
      return result;
    });
  }

  tracePromise(callback, context = {}, receiver = undefined, ...values) {
    const settled = (key, events) => (value) => {
      context[key] = value;
      for (const event of events) this[event].publish(context);
      if (key === 'error') throw value;
      return value;
    };
    return this.#traced(context, () => {
      const promise = Promise.resolve(Reflect.apply(callback, receiver, values));
      return promise.then(settled('result', ['asyncStart', 'asyncEnd']), settled('error', ['error', 'asyncStart', 'asyncEnd']));
    });
  }

  traceCallback(callback, position = -1, context = {}, receiver = undefined, ...values) {
    const original = values.at(position);
    checkSubscription(original, 'callback');
    const { asyncEnd, asyncStart, error: failed } = this;
    const wrapped = function (error, result) {
      if (error) {
        context.error = error;
        failed.publish(context);
      } else {
        context.result = result;
      }
      return asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(original, this, arguments);
        } finally {
          asyncEnd.publish(context);
        }
      });
    };
    values.splice(position, 1, wrapped);
    return this.#traced(context, () => Reflect.apply(callback, receiver, values));
  }
}

export const tracingChannel = (nameOrChannels) => new TracingChannel(nameOrChannels);

export default { Channel, channel, hasSubscribers, subscribe, tracingChannel, unsubscribe };
