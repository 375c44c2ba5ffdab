// Globals of a prompt file that imports no module of Node: compact, for a fast check. Other files are checked against
// @types/node instead; never load both. `tests/types.rs` checks that this file and the program
// have the same globals.

interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  resolve(specifier: string, parent?: string | URL): string;
}

interface ErrorConstructor {
  captureStackTrace(target: object, constructor?: Function): void;
  prepareStackTrace?: (error: Error, calls: any[]) => any;
  stackTraceLimit: number;
}

declare var global: typeof globalThis;

// ------------------------------------------------------------------------------------------------- console, process

interface Console {
  assert(condition?: unknown, ...data: any[]): void;
  clear(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  debug(...data: any[]): void;
  dir(item?: any, options?: object): void;
  dirxml(...data: any[]): void;
  error(...data: any[]): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  info(...data: any[]): void;
  log(...data: any[]): void;
  profile(label?: string): void;
  profileEnd(label?: string): void;
  table(data?: any, columns?: readonly string[]): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeStamp(label?: string): void;
  trace(...data: any[]): void;
  warn(...data: any[]): void;
  Console: any;
}
declare var console: Console;

declare namespace NodeJS {
  interface Dict<T> { [key: string]: T | undefined }
  interface ProcessEnv { [name: string]: string | undefined }
  interface ErrnoException extends Error { errno?: number; code?: string; path?: string; syscall?: string }
  type TypedArray =
    | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | Int8Array | Int16Array | Int32Array
    | BigUint64Array | BigInt64Array | Float32Array | Float64Array;
  type ArrayBufferView = TypedArray | DataView;
  type Platform = 'aix' | 'android' | 'darwin' | 'freebsd' | 'haiku' | 'linux' | 'openbsd' | 'sunos' | 'win32' | 'cygwin' | 'netbsd';
  type Architecture = 'arm' | 'arm64' | 'ia32' | 'loong64' | 'mips' | 'mipsel' | 'ppc' | 'ppc64' | 'riscv64' | 's390' | 's390x' | 'x64';
  type Signals = `SIG${string}`;

  interface EventEmitter {
    addListener(event: string | symbol, listener: (...args: any[]) => void): this;
    emit(event: string | symbol, ...args: any[]): boolean;
    eventNames(): (string | symbol)[];
    getMaxListeners(): number;
    listenerCount(event: string | symbol, listener?: Function): number;
    listeners(event: string | symbol): Function[];
    off(event: string | symbol, listener: (...args: any[]) => void): this;
    on(event: string | symbol, listener: (...args: any[]) => void): this;
    once(event: string | symbol, listener: (...args: any[]) => void): this;
    prependListener(event: string | symbol, listener: (...args: any[]) => void): this;
    prependOnceListener(event: string | symbol, listener: (...args: any[]) => void): this;
    rawListeners(event: string | symbol): Function[];
    removeAllListeners(event?: string | symbol): this;
    removeListener(event: string | symbol, listener: (...args: any[]) => void): this;
    setMaxListeners(count: number): this;
  }

  /** The full types are in `node:stream` and `node:tty`; import these to use them. */
  interface ReadableStream extends EventEmitter, AsyncIterable<any> {
    readable: boolean;
    read(size?: number): any;
    setEncoding(encoding: BufferEncoding): this;
    pause(): this;
    resume(): this;
    isPaused(): boolean;
    pipe<T>(destination: T, options?: { end?: boolean }): T;
    unpipe(destination?: any): this;
    [member: string]: any;
  }
  interface WritableStream extends EventEmitter {
    writable: boolean;
    write(data: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
    write(data: string, encoding?: BufferEncoding, done?: (error?: Error | null) => void): boolean;
    end(data?: string | Uint8Array | (() => void), ...rest: any[]): this;
    [member: string]: any;
  }
  interface ReadStream extends ReadableStream { isTTY: boolean; setRawMode(raw: boolean): this }
  interface WriteStream extends WritableStream { isTTY: boolean; columns: number; rows: number }

  interface HRTime {
    (previous?: [number, number]): [number, number];
    bigint(): bigint;
  }
  interface MemoryUsage { rss: number; heapTotal: number; heapUsed: number; external: number; arrayBuffers: number }

  interface Process extends EventEmitter {
    readonly allowedNodeEnvironmentFlags: ReadonlySet<string>;
    readonly arch: Architecture;
    argv: string[];
    argv0: string;
    readonly config: any;
    debugPort: number;
    env: ProcessEnv;
    execArgv: string[];
    execPath: string;
    exitCode?: number | string | null;
    readonly features: any;
    readonly pid: number;
    readonly platform: Platform;
    readonly ppid: number;
    readonly release: { name: string; [key: string]: any };
    stderr: WriteStream & { fd: 2 };
    stdin: ReadStream & { fd: 0 };
    stdout: WriteStream & { fd: 1 };
    title: string;
    readonly version: string;
    readonly versions: { node: string; [name: string]: string | undefined };
    abort(): never;
    availableMemory(): number;
    chdir(directory: string): void;
    constrainedMemory(): number;
    cpuUsage(previous?: { user: number; system: number }): { user: number; system: number };
    cwd(): string;
    emitWarning(warning: string | Error, ...rest: any[]): void;
    exit(code?: number | string | null): never;
    getActiveResourcesInfo(): string[];
    getBuiltinModule(id: string): any;
    getegid?(): number;
    geteuid?(): number;
    getgid?(): number;
    getgroups?(): number[];
    getuid?(): number;
    hasUncaughtExceptionCaptureCallback(): boolean;
    hrtime: HRTime;
    kill(pid: number, signal?: string | number): true;
    loadEnvFile(path?: string | URL | Uint8Array): void;
    memoryUsage: { (): MemoryUsage; rss(): number };
    nextTick(callback: Function, ...args: any[]): void;
    resourceUsage(): { [measure: string]: number };
    setSourceMapsEnabled(value: boolean): void;
    setUncaughtExceptionCaptureCallback(callback: ((error: Error) => void) | null): void;
    umask(mask?: string | number): number;
    uptime(): number;
  }

  interface Timer extends Disposable {
    ref(): this;
    unref(): this;
    hasRef(): boolean;
  }
  interface Timeout extends Timer {
    refresh(): this;
    close(): this;
    [Symbol.toPrimitive](): number;
  }
  interface Immediate extends Timer {}
}
declare var process: NodeJS.Process;

// -------------------------------------------------------------------------------------------------- timers and jobs

declare function setTimeout(callback: (...args: any[]) => void, delay?: number, ...args: any[]): NodeJS.Timeout;
declare function setInterval(callback: (...args: any[]) => void, delay?: number, ...args: any[]): NodeJS.Timeout;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): NodeJS.Immediate;
declare function clearTimeout(timer: NodeJS.Timeout | string | number | null | undefined): void;
declare function clearInterval(timer: NodeJS.Timeout | string | number | null | undefined): void;
declare function clearImmediate(timer: NodeJS.Immediate | null | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T, options?: { transfer?: readonly any[] }): T;
declare function atob(data: string): string;
declare function btoa(data: string): string;

// ----------------------------------------------------------------------------------------------------------- Buffer

type BufferEncoding =
  | 'ascii' | 'utf8' | 'utf-8' | 'utf16le' | 'utf-16le' | 'ucs2' | 'ucs-2' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'hex';
type BufferSource = ArrayBufferView | ArrayBuffer;

interface Buffer<T extends ArrayBufferLike = ArrayBufferLike> extends Uint8Array<T> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, start?: number, end?: number, ownStart?: number, ownEnd?: number): -1 | 0 | 1;
  copy(target: Uint8Array, at?: number, start?: number, end?: number): number;
  slice(start?: number, end?: number): Buffer<ArrayBuffer>;
  subarray(start?: number, end?: number): Buffer<T>;
  write(text: string, encoding?: BufferEncoding): number;
  write(text: string, offset: number, encoding?: BufferEncoding): number;
  write(text: string, offset: number, length: number, encoding?: BufferEncoding): number;
  fill(value: string | Uint8Array | number, offset?: number, end?: number, encoding?: BufferEncoding): this;
  fill(value: string | Uint8Array, encoding: BufferEncoding): this;
  includes(value: string | number | Uint8Array, offset?: number, encoding?: BufferEncoding): boolean;
  indexOf(value: string | number | Uint8Array, offset?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, offset?: number, encoding?: BufferEncoding): number;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  readBigInt64BE(offset?: number): bigint;
  readBigInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  readBigUint64BE(offset?: number): bigint;
  readBigUint64LE(offset?: number): bigint;
  readDoubleBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readFloatLE(offset?: number): number;
  readInt16BE(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt8(offset?: number): number;
  readIntBE(offset: number, length: number): number;
  readIntLE(offset: number, length: number): number;
  readUInt16BE(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt8(offset?: number): number;
  readUIntBE(offset: number, length: number): number;
  readUIntLE(offset: number, length: number): number;
  readUint16BE(offset?: number): number;
  readUint16LE(offset?: number): number;
  readUint32BE(offset?: number): number;
  readUint32LE(offset?: number): number;
  readUint8(offset?: number): number;
  readUintBE(offset: number, length: number): number;
  readUintLE(offset: number, length: number): number;
  writeBigInt64BE(value: bigint, offset?: number): number;
  writeBigInt64LE(value: bigint, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeBigUint64BE(value: bigint, offset?: number): number;
  writeBigUint64LE(value: bigint, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeIntBE(value: number, offset: number, length: number): number;
  writeIntLE(value: number, offset: number, length: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeUIntBE(value: number, offset: number, length: number): number;
  writeUIntLE(value: number, offset: number, length: number): number;
  writeUint16BE(value: number, offset?: number): number;
  writeUint16LE(value: number, offset?: number): number;
  writeUint32BE(value: number, offset?: number): number;
  writeUint32LE(value: number, offset?: number): number;
  writeUint8(value: number, offset?: number): number;
  writeUintBE(value: number, offset: number, length: number): number;
  writeUintLE(value: number, offset: number, length: number): number;
}
interface BufferConstructor {
  readonly prototype: Buffer;
  poolSize: number;
  from(text: string, encoding?: BufferEncoding): Buffer<ArrayBuffer>;
  from<T extends ArrayBufferLike>(buffer: T, offset?: number, length?: number): Buffer<T>;
  from(data: Iterable<number> | ArrayLike<number> | { type: 'Buffer'; data: number[] }): Buffer<ArrayBuffer>;
  from(value: { [Symbol.toPrimitive](hint: 'string'): string }, encoding?: BufferEncoding): Buffer<ArrayBuffer>;
  of(...bytes: number[]): Buffer<ArrayBuffer>;
  alloc(size: number, fill?: string | Uint8Array | number, encoding?: BufferEncoding): Buffer<ArrayBuffer>;
  allocUnsafe(size: number): Buffer<ArrayBuffer>;
  allocUnsafeSlow(size: number): Buffer<ArrayBuffer>;
  byteLength(value: string | ArrayBufferView | ArrayBufferLike, encoding?: BufferEncoding): number;
  compare(one: Uint8Array, other: Uint8Array): -1 | 0 | 1;
  concat(list: readonly Uint8Array[], length?: number): Buffer<ArrayBuffer>;
  copyBytesFrom(view: NodeJS.TypedArray, offset?: number, length?: number): Buffer<ArrayBuffer>;
  isBuffer(value: any): value is Buffer;
  isEncoding(encoding: string): encoding is BufferEncoding;
}
declare var Buffer: BufferConstructor;

// ----------------------------------------------------------------------------------------------------------- events

interface EventInit { bubbles?: boolean; cancelable?: boolean; composed?: boolean }
interface Event {
  readonly bubbles: boolean;
  cancelBubble: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly currentTarget: EventTarget | null;
  readonly defaultPrevented: boolean;
  readonly eventPhase: number;
  readonly isTrusted: boolean;
  returnValue: boolean;
  readonly srcElement: EventTarget | null;
  readonly target: EventTarget | null;
  readonly timeStamp: number;
  readonly type: string;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopImmediatePropagation(): void;
  stopPropagation(): void;
}
declare var Event: {
  prototype: Event;
  new (type: string, init?: EventInit): Event;
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
};

interface CustomEvent<T = any> extends Event { readonly detail: T }
declare var CustomEvent: { prototype: CustomEvent; new <T>(type: string, init?: EventInit & { detail?: T }): CustomEvent<T> };

interface MessageEvent<T = any> extends Event {
  readonly data: T;
  readonly lastEventId: string;
  readonly origin: string;
  readonly ports: readonly MessagePort[];
  readonly source: any;
}
declare var MessageEvent: { prototype: MessageEvent; new <T>(type: string, init?: EventInit & { data?: T; [key: string]: any }): MessageEvent<T> };

type EventListener = (event: any) => void;
interface EventListenerObject { handleEvent(event: any): void }
interface EventListenerOptions { capture?: boolean }
interface AddEventListenerOptions extends EventListenerOptions { once?: boolean; passive?: boolean; signal?: AbortSignal }
interface EventTarget {
  addEventListener(type: string, listener: EventListener | EventListenerObject | null, options?: AddEventListenerOptions | boolean): void;
  dispatchEvent(event: Event): boolean;
  removeEventListener(type: string, listener: EventListener | EventListenerObject | null, options?: EventListenerOptions | boolean): void;
}
declare var EventTarget: { prototype: EventTarget; new (): EventTarget };

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: any): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

interface DOMException extends Error { readonly code: number }
declare var DOMException: {
  prototype: DOMException;
  new (message?: string, name?: string | { name?: string; cause?: unknown }): DOMException;
  readonly [code: `${string}_ERR`]: number;
};

interface MessagePort extends EventTarget, Pick<NodeJS.EventEmitter, 'on' | 'once' | 'off' | 'addListener' | 'removeListener'> {
  onmessage: ((event: MessageEvent) => any) | null;
  onmessageerror: ((event: MessageEvent) => any) | null;
  close(): void;
  hasRef(): boolean;
  postMessage(message: any, transfer?: any): void;
  ref(): void;
  start(): void;
  unref(): void;
}
declare var MessagePort: { prototype: MessagePort };
interface MessageChannel { readonly port1: MessagePort; readonly port2: MessagePort }
declare var MessageChannel: { prototype: MessageChannel; new (): MessageChannel };
interface BroadcastChannel extends EventTarget {
  readonly name: string;
  onmessage: ((event: MessageEvent) => any) | null;
  onmessageerror: ((event: MessageEvent) => any) | null;
  close(): void;
  postMessage(message: any): void;
  ref(): this;
  unref(): this;
}
declare var BroadcastChannel: { prototype: BroadcastChannel; new (name: string): BroadcastChannel };

// ------------------------------------------------------------------------------------------------- text and addresses

interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  entries(): IteratorObject<[string, string], undefined>;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  keys(): IteratorObject<string, undefined>;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  values(): IteratorObject<string, undefined>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string | URLSearchParams | Iterable<readonly [string, string]> | readonly (readonly string[])[] | Record<string, string | readonly string[]>): URLSearchParams;
};

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toJSON(): string;
  toString(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | { toString(): string }, base?: string | URL): URL;
  canParse(url: string | { toString(): string }, base?: string | URL): boolean;
  createObjectURL(blob: Blob): string;
  parse(url: string | { toString(): string }, base?: string | URL): URL | null;
  revokeObjectURL(url: string): void;
};

interface TextEncoder {
  readonly encoding: 'utf-8';
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(data?: BufferSource | ArrayBufferLike | null, options?: { stream?: boolean }): string;
}
declare var TextDecoder: { prototype: TextDecoder; new (encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };

// ---------------------------------------------------------------------------------------------------------- streams

interface QueuingStrategy<T = any> { highWaterMark?: number; size?: (chunk: T) => number }
interface ByteLengthQueuingStrategy extends QueuingStrategy { readonly highWaterMark: number }
declare var ByteLengthQueuingStrategy: { prototype: ByteLengthQueuingStrategy; new (init: { highWaterMark: number }): ByteLengthQueuingStrategy };
interface CountQueuingStrategy extends QueuingStrategy { readonly highWaterMark: number }
declare var CountQueuingStrategy: { prototype: CountQueuingStrategy; new (init: { highWaterMark: number }): CountQueuingStrategy };

interface StreamPipeOptions { preventAbort?: boolean; preventCancel?: boolean; preventClose?: boolean; signal?: AbortSignal }
type ReadableStreamReadResult<T> = { done: false; value: T } | { done: true; value?: T };
interface UnderlyingSource<R = any> {
  start?(controller: ReadableStreamDefaultController<R>): any;
  pull?(controller: ReadableStreamDefaultController<R>): void | PromiseLike<void>;
  cancel?(reason?: any): void | PromiseLike<void>;
  type?: undefined;
}
interface UnderlyingByteSource {
  start?(controller: ReadableByteStreamController): any;
  pull?(controller: ReadableByteStreamController): void | PromiseLike<void>;
  cancel?(reason?: any): void | PromiseLike<void>;
  type: 'bytes';
  autoAllocateChunkSize?: number;
}
interface ReadableStream<R = any> extends AsyncIterable<R> {
  readonly locked: boolean;
  cancel(reason?: any): Promise<void>;
  getReader(): ReadableStreamDefaultReader<R>;
  getReader(options: { mode: 'byob' }): ReadableStreamBYOBReader;
  getReader(options?: { mode?: undefined }): ReadableStreamDefaultReader<R>;
  pipeThrough<T>(transform: { readable: ReadableStream<T>; writable: WritableStream<R> }, options?: StreamPipeOptions): ReadableStream<T>;
  pipeTo(destination: WritableStream<R>, options?: StreamPipeOptions): Promise<void>;
  tee(): [ReadableStream<R>, ReadableStream<R>];
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<R>;
}
declare var ReadableStream: {
  prototype: ReadableStream;
  new (source: UnderlyingByteSource, strategy?: QueuingStrategy<Uint8Array>): ReadableStream<Uint8Array>;
  new <R = any>(source?: UnderlyingSource<R>, strategy?: QueuingStrategy<R>): ReadableStream<R>;
  from<R>(iterable: Iterable<R> | AsyncIterable<R>): ReadableStream<R>;
};
interface ReadableStreamDefaultReader<R = any> {
  readonly closed: Promise<void>;
  cancel(reason?: any): Promise<void>;
  read(): Promise<ReadableStreamReadResult<R>>;
  releaseLock(): void;
}
declare var ReadableStreamDefaultReader: { prototype: ReadableStreamDefaultReader; new <R = any>(stream: ReadableStream<R>): ReadableStreamDefaultReader<R> };
interface ReadableStreamBYOBReader {
  readonly closed: Promise<void>;
  cancel(reason?: any): Promise<void>;
  read<T extends ArrayBufferView>(view: T, options?: { min?: number }): Promise<ReadableStreamReadResult<T>>;
  releaseLock(): void;
}
declare var ReadableStreamBYOBReader: { prototype: ReadableStreamBYOBReader; new (stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader };
interface ReadableStreamBYOBRequest {
  readonly view: ArrayBufferView | null;
  respond(bytesWritten: number): void;
  respondWithNewView(view: ArrayBufferView): void;
}
declare var ReadableStreamBYOBRequest: { prototype: ReadableStreamBYOBRequest };
interface ReadableStreamDefaultController<R = any> {
  readonly desiredSize: number | null;
  close(): void;
  enqueue(chunk?: R): void;
  error(reason?: any): void;
}
declare var ReadableStreamDefaultController: { prototype: ReadableStreamDefaultController };
interface ReadableByteStreamController {
  readonly byobRequest: ReadableStreamBYOBRequest | null;
  readonly desiredSize: number | null;
  close(): void;
  enqueue(chunk: ArrayBufferView): void;
  error(reason?: any): void;
}
declare var ReadableByteStreamController: { prototype: ReadableByteStreamController };

interface UnderlyingSink<W = any> {
  start?(controller: WritableStreamDefaultController): any;
  write?(chunk: W, controller: WritableStreamDefaultController): void | PromiseLike<void>;
  close?(): void | PromiseLike<void>;
  abort?(reason?: any): void | PromiseLike<void>;
}
interface WritableStream<W = any> {
  readonly locked: boolean;
  abort(reason?: any): Promise<void>;
  close(): Promise<void>;
  getWriter(): WritableStreamDefaultWriter<W>;
}
declare var WritableStream: { prototype: WritableStream; new <W = any>(sink?: UnderlyingSink<W>, strategy?: QueuingStrategy<W>): WritableStream<W> };
interface WritableStreamDefaultWriter<W = any> {
  readonly closed: Promise<void>;
  readonly desiredSize: number | null;
  readonly ready: Promise<void>;
  abort(reason?: any): Promise<void>;
  close(): Promise<void>;
  releaseLock(): void;
  write(chunk?: W): Promise<void>;
}
declare var WritableStreamDefaultWriter: { prototype: WritableStreamDefaultWriter; new <W = any>(stream: WritableStream<W>): WritableStreamDefaultWriter<W> };
interface WritableStreamDefaultController {
  readonly signal: AbortSignal;
  error(reason?: any): void;
}
declare var WritableStreamDefaultController: { prototype: WritableStreamDefaultController };

interface Transformer<I = any, O = any> {
  start?(controller: TransformStreamDefaultController<O>): any;
  transform?(chunk: I, controller: TransformStreamDefaultController<O>): void | PromiseLike<void>;
  flush?(controller: TransformStreamDefaultController<O>): void | PromiseLike<void>;
  cancel?(reason?: any): void | PromiseLike<void>;
}
interface TransformStream<I = any, O = any> {
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;
}
declare var TransformStream: {
  prototype: TransformStream;
  new <I = any, O = any>(transformer?: Transformer<I, O>, writable?: QueuingStrategy<I>, readable?: QueuingStrategy<O>): TransformStream<I, O>;
};
interface TransformStreamDefaultController<O = any> {
  readonly desiredSize: number | null;
  enqueue(chunk?: O): void;
  error(reason?: any): void;
  terminate(): void;
}
declare var TransformStreamDefaultController: { prototype: TransformStreamDefaultController };

interface TextEncoderStream extends TransformStream<string, Uint8Array> { readonly encoding: 'utf-8' }
declare var TextEncoderStream: { prototype: TextEncoderStream; new (): TextEncoderStream };
interface TextDecoderStream extends TransformStream<BufferSource, string> {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
}
declare var TextDecoderStream: { prototype: TextDecoderStream; new (encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoderStream };
type CompressionFormat = 'deflate' | 'deflate-raw' | 'gzip';
interface CompressionStream extends TransformStream<BufferSource, Uint8Array> {}
declare var CompressionStream: { prototype: CompressionStream; new (format: CompressionFormat): CompressionStream };
interface DecompressionStream extends TransformStream<BufferSource, Uint8Array> {}
declare var DecompressionStream: { prototype: DecompressionStream; new (format: CompressionFormat): DecompressionStream };

// ------------------------------------------------------------------------------------------------------------ fetch

interface BlobPropertyBag { type?: string; endings?: 'native' | 'transparent' }
interface FilePropertyBag extends BlobPropertyBag { lastModified?: number }
type BlobPart = BufferSource | Blob | string;
interface Blob {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
}
declare var Blob: { prototype: Blob; new (parts?: Iterable<BlobPart>, options?: BlobPropertyBag): Blob };
interface File extends Blob {
  readonly lastModified: number;
  readonly name: string;
  readonly webkitRelativePath: string;
}
declare var File: { prototype: File; new (parts: Iterable<BlobPart>, name: string, options?: FilePropertyBag): File };

type FormDataEntryValue = File | string;
interface FormData extends Iterable<[string, FormDataEntryValue]> {
  append(name: string, value: string | Blob, filename?: string): void;
  delete(name: string): void;
  entries(): IteratorObject<[string, FormDataEntryValue], undefined>;
  forEach(callback: (value: FormDataEntryValue, name: string, data: FormData) => void, thisArg?: any): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  keys(): IteratorObject<string, undefined>;
  set(name: string, value: string | Blob, filename?: string): void;
  values(): IteratorObject<FormDataEntryValue, undefined>;
}
declare var FormData: { prototype: FormData; new (): FormData };

type HeadersInit = Headers | Iterable<readonly string[]> | Record<string, string | readonly string[]>;
interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  entries(): IteratorObject<[string, string], undefined>;
  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: any): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  keys(): IteratorObject<string, undefined>;
  set(name: string, value: string): void;
  values(): IteratorObject<string, undefined>;
}
declare var Headers: { prototype: Headers; new (init?: HeadersInit): Headers };

type BodyInit =
  | string | BufferSource | Blob | FormData | URLSearchParams | ReadableStream | AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
interface Body {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}
type RequestCache = 'default' | 'force-cache' | 'no-cache' | 'no-store' | 'only-if-cached' | 'reload';
type RequestCredentials = 'include' | 'omit' | 'same-origin';
type RequestMode = 'cors' | 'navigate' | 'no-cors' | 'same-origin';
type RequestRedirect = 'error' | 'follow' | 'manual';
type RequestInfo = string | URL | Request;
interface RequestInit {
  body?: BodyInit;
  cache?: RequestCache;
  credentials?: RequestCredentials;
  dispatcher?: any;
  duplex?: 'half';
  headers?: HeadersInit;
  integrity?: string;
  keepalive?: boolean;
  method?: string;
  mode?: RequestMode;
  redirect?: RequestRedirect;
  referrer?: string;
  referrerPolicy?: string;
  signal?: AbortSignal | null;
  window?: null;
}
interface Request extends Body {
  readonly cache: RequestCache;
  readonly credentials: RequestCredentials;
  readonly destination: string;
  readonly duplex: 'half';
  readonly headers: Headers;
  readonly integrity: string;
  readonly keepalive: boolean;
  readonly method: string;
  readonly mode: RequestMode;
  readonly redirect: RequestRedirect;
  readonly referrer: string;
  readonly referrerPolicy: string;
  readonly signal: AbortSignal;
  readonly url: string;
  clone(): Request;
}
declare var Request: { prototype: Request; new (input: RequestInfo, init?: RequestInit): Request };
interface ResponseInit { headers?: HeadersInit; status?: number; statusText?: string }
type ResponseType = 'basic' | 'cors' | 'default' | 'error' | 'opaque' | 'opaqueredirect';
interface Response extends Body {
  readonly headers: Headers;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly type: ResponseType;
  readonly url: string;
  clone(): Response;
}
declare var Response: {
  prototype: Response;
  new (body?: BodyInit, init?: ResponseInit): Response;
  error(): Response;
  json(data: any, init?: ResponseInit): Response;
  redirect(url: string | URL, status?: number): Response;
};
declare function fetch(input: RequestInfo, init?: RequestInit): Promise<Response>;

// ------------------------------------------------------------------------------------------- cryptography and clocks

interface CryptoKey {
  readonly algorithm: { name: string; [key: string]: any };
  readonly extractable: boolean;
  readonly type: 'private' | 'public' | 'secret';
  readonly usages: string[];
}
declare var CryptoKey: { prototype: CryptoKey };
interface CryptoKeyPair { privateKey: CryptoKey; publicKey: CryptoKey }
type AlgorithmIdentifier = string | { name: string; [key: string]: any };
interface SubtleCrypto {
  decrypt(algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  deriveBits(algorithm: AlgorithmIdentifier, key: CryptoKey, length?: number | null): Promise<ArrayBuffer>;
  deriveKey(algorithm: AlgorithmIdentifier, key: CryptoKey, derived: AlgorithmIdentifier, extractable: boolean, usages: readonly string[]): Promise<CryptoKey>;
  digest(algorithm: AlgorithmIdentifier, data: BufferSource): Promise<ArrayBuffer>;
  encrypt(algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  exportKey(format: string, key: CryptoKey): Promise<any>;
  generateKey(algorithm: AlgorithmIdentifier, extractable: boolean, usages: readonly string[]): Promise<any>;
  importKey(format: string, data: any, algorithm: AlgorithmIdentifier, extractable: boolean, usages: readonly string[]): Promise<CryptoKey>;
  sign(algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  unwrapKey(format: string, data: BufferSource, key: CryptoKey, algorithm: AlgorithmIdentifier, keyAlgorithm: AlgorithmIdentifier, extractable: boolean, usages: readonly string[]): Promise<CryptoKey>;
  verify(algorithm: AlgorithmIdentifier, key: CryptoKey, signature: BufferSource, data: BufferSource): Promise<boolean>;
  wrapKey(format: string, key: CryptoKey, wrapping: CryptoKey, algorithm: AlgorithmIdentifier): Promise<ArrayBuffer>;
}
declare var SubtleCrypto: { prototype: SubtleCrypto };
interface Crypto {
  readonly subtle: SubtleCrypto;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
}
declare var Crypto: { prototype: Crypto };
declare var crypto: Crypto;

interface PerformanceEntry {
  readonly detail: any;
  readonly duration: number;
  readonly entryType: string;
  readonly name: string;
  readonly startTime: number;
  toJSON(): any;
}
declare var PerformanceEntry: { prototype: PerformanceEntry };
interface PerformanceMark extends PerformanceEntry {}
declare var PerformanceMark: { prototype: PerformanceMark; new (name: string, options?: { detail?: any; startTime?: number }): PerformanceMark };
interface PerformanceMeasure extends PerformanceEntry {}
declare var PerformanceMeasure: { prototype: PerformanceMeasure };
interface PerformanceObserverEntryList {
  getEntries(): PerformanceEntry[];
  getEntriesByName(name: string, type?: string): PerformanceEntry[];
  getEntriesByType(type: string): PerformanceEntry[];
}
declare var PerformanceObserverEntryList: { prototype: PerformanceObserverEntryList };
interface PerformanceObserver {
  disconnect(): void;
  observe(options: { entryTypes?: readonly string[]; type?: string; buffered?: boolean }): void;
  takeRecords(): PerformanceEntry[];
}
declare var PerformanceObserver: {
  prototype: PerformanceObserver;
  readonly supportedEntryTypes: readonly string[];
  new (callback: (list: PerformanceObserverEntryList, observer: PerformanceObserver) => void): PerformanceObserver;
};
interface Performance extends PerformanceObserverEntryList {
  readonly nodeTiming: any;
  readonly timeOrigin: number;
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
  clearResourceTimings(name?: string): void;
  eventLoopUtilization(...previous: any[]): { idle: number; active: number; utilization: number };
  mark(name: string, options?: { detail?: any; startTime?: number }): PerformanceMark;
  measure(name: string, start?: string | { detail?: any; start?: string | number; end?: string | number; duration?: number }, end?: string): PerformanceMeasure;
  now(): number;
  timerify<F extends (...args: any[]) => any>(fn: F, options?: object): F;
  toJSON(): any;
}
declare var Performance: { prototype: Performance };
declare var performance: Performance;
