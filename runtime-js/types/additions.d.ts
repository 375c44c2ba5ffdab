// Globals that @types/node lacks or declares differently. Loaded with it and with `globals.d.ts`.

interface Response {
  /** The body read as JSON: `any`, as in browsers. */
  json(): Promise<any>;
}
interface Request {
  json(): Promise<any>;
}

declare namespace WebAssembly {
  type ImportExportKind = 'function' | 'global' | 'memory' | 'table';
  type Imports = Record<string, Record<string, any>>;
  type Exports = Record<string, any>;
  class Module {
    constructor(bytes: ArrayBufferView | ArrayBuffer);
    static customSections(module: Module, name: string): ArrayBuffer[];
    static exports(module: Module): { name: string; kind: ImportExportKind }[];
    static imports(module: Module): { module: string; name: string; kind: ImportExportKind }[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: string; initial: number; maximum?: number }, value?: any);
    readonly length: number;
    get(index: number): any;
    grow(count: number, value?: any): number;
    set(index: number, value?: any): void;
  }
  class Global<T = any> {
    constructor(descriptor: { value: string; mutable?: boolean }, value?: T);
    value: T;
    valueOf(): T;
  }
  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}
  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>;
  function compileStreaming(source: Response | PromiseLike<Response>): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function instantiate(bytes: ArrayBufferView | ArrayBuffer, imports?: Imports): Promise<{ instance: Instance; module: Module }>;
  function instantiateStreaming(source: Response | PromiseLike<Response>, imports?: Imports): Promise<{ instance: Instance; module: Module }>;
  function validate(bytes: ArrayBufferView | ArrayBuffer): boolean;
}

/** The subset that PDF packages need. */
interface DOMMatrix {
  readonly is2D: boolean;
  readonly isIdentity: boolean;
  [member: string]: any;
}
declare var DOMMatrix: { prototype: DOMMatrix; new (init?: string | readonly number[]): DOMMatrix; [member: string]: any };
