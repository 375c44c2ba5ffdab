// `FileHandle`, the result of `fs.promises.open`.
import { EventEmitter } from 'node:events';
import { importBuiltin } from 'lmthing:internal/native/modules';
import { nodeError } from '../shared/errors.js';
import { flagsOf, modeOf } from './arguments.js';
import { descriptorPlans, readPlan, readvPlan, writePlan, writevPlan } from './descriptors.js';
import { plans } from './operations.js';
import { runAsync } from './run.js';

export class FileHandle extends EventEmitter {
  #fd;
  #closing;

  constructor(fd) {
    super();
    this.#fd = fd;
  }

  get fd() {
    return this.#fd;
  }

  #open(syscall) {
    if (this.#fd !== -1 && !this.#closing) return this.#fd;
    throw Object.assign(new Error('file closed'), { code: 'EBADF', syscall });
  }

  async read(...values) {
    const { buffer, plan } = readPlan(this.#open('read'), ...values);
    return { bytesRead: await runAsync(plan), buffer };
  }

  async readv(buffers, position) {
    return { bytesRead: await runAsync(readvPlan(this.#open('readv'), buffers, position).plan), buffers };
  }

  async write(data, ...values) {
    if (data?.byteLength === 0) return { bytesWritten: 0, buffer: data };
    const { buffer, plan } = writePlan(this.#open('write'), data, ...values);
    return { bytesWritten: await runAsync(plan), buffer };
  }

  async writev(buffers, position) {
    return { bytesWritten: await runAsync(writevPlan(this.#open('writev'), buffers, position).plan), buffers };
  }

  async readFile(options) {
    return runAsync(plans.readFile(this.#open('read'), options));
  }

  async writeFile(data, options) {
    return writeParts(this.#open('write'), data, options);
  }

  async appendFile(data, options) {
    return writeParts(this.#open('write'), data, options);
  }

  createReadStream(options) {
    return new (importBuiltin('node:fs').ReadStream)(undefined, { ...options, fd: this });
  }

  createWriteStream(options) {
    return new (importBuiltin('node:fs').WriteStream)(undefined, { ...options, fd: this });
  }

  readLines(options) {
    const { createInterface } = importBuiltin('node:readline');
    return createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
  }

  readableWebStream() {
    const handle = this;
    handle.#open('read');
    return new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(16384));
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        controller.close();
        controller.byobRequest?.respond(0);
        return undefined;
      },
    });
  }

  /** Idempotent. */
  async close() {
    if (this.#fd === -1) return;
    this.#closing ??= runAsync(descriptorPlans.close(this.#fd));
    await this.#closing;
    if (this.#fd === -1) return;
    this.#fd = -1;
    this.emit('close');
  }
}

const METHODS = { stat: 'fstat', truncate: 'ftruncate', sync: 'fsync', datasync: 'fdatasync', chmod: 'fchmod', chown: 'fchown', utimes: 'futimes' };
for (const [method, name] of Object.entries(METHODS)) {
  const value = async function (...values) {
    if (this.fd === -1) throw Object.assign(new Error('file closed'), { code: 'EBADF', syscall: name });
    return runAsync(descriptorPlans[name](this.fd, ...values));
  };
  Object.defineProperty(value, 'name', { value: method });
  Object.defineProperty(FileHandle.prototype, method, { value, writable: true, configurable: true });
}
if (Symbol.asyncDispose) {
  Object.defineProperty(FileHandle.prototype, Symbol.asyncDispose, { value: FileHandle.prototype.close, writable: true, configurable: true });
}

/** `data` may be an iterable of chunks. */
async function writeParts(fd, data, options) {
  const isParts = typeof data === 'object' && data !== null && !ArrayBuffer.isView(data);
  if (!isParts || !(data[Symbol.asyncIterator] || data[Symbol.iterator])) return runAsync(plans.writeFile(fd, data, options));
  for await (const part of data) await runAsync(plans.writeFile(fd, part, options));
  return undefined;
}

export function handleOf(file) {
  if (file instanceof FileHandle) {
    if (file.fd === -1) throw nodeError(Error, 'EBADF', 'file closed');
    return file;
  }
  return undefined;
}

export async function openHandle(path, flags, mode) {
  return new FileHandle(await runAsync(descriptorPlans.open(path, flagsOf(flags), modeOf(mode, 0o666))));
}
