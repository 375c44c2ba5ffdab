// The API of prompt files, for editors and type checks: `lmthing`, `lmthing/plugins`, `lmthing/test` and `lmthing/eval`.
//
// A prompt file gets completion and checks from one comment in front of its function:
//
//     /** @type {import('lmthing').PromptFunction} */
//     export default async ({ def, $ }) => { … };
//
// `tests/types.rs` checks that this file and the program have the same exports.

declare module 'lmthing' {
  // ---------------------------------------------------------------------------------------------------- schemas

  /** A schema that validates itself: zod 4 (the built-in `zod`), or any library with Standard Schema. */
  export interface StandardSchema<Input = any, Output = any> {
    readonly '~standard': {
      readonly version: number;
      readonly vendor: string;
      readonly types?: { readonly input: Input; readonly output: Output } | undefined;
      readonly validate: (value: unknown, ...rest: any[]) => any;
    };
  }

  /** A plain JSON Schema object (draft 2020-12). Values it describes have the type `any`. */
  export interface JsonSchema {
    readonly type?: string | readonly string[];
    readonly [keyword: string]: unknown;
  }

  export type Schema = StandardSchema | JsonSchema;

  /** What a validated value looks like: defaults and transforms applied. */
  export type Infer<S> = S extends { readonly _zod: { readonly output: infer Output } }
    ? Output
    : S extends { readonly '~standard': { readonly types?: infer T } }
      ? NonNullable<T> extends { readonly output: infer Output } ? Output : any
      : any;

  /** What may be handed in: fields with defaults are optional. */
  export type InferInput<S> = S extends { readonly _zod: { readonly input: infer Input } }
    ? Input
    : S extends { readonly '~standard': { readonly types?: infer T } }
      ? NonNullable<T> extends { readonly input: infer Input } ? Input : any
      : any;

  /** A value that is still coming: properties may be missing, lists and texts may go on. */
  export type DeepPartial<T> = 0 extends 1 & T
    ? any
    : T extends readonly any[]
      ? number extends T['length'] ? DeepPartial<T[number]>[] : { [K in keyof T]?: DeepPartial<T[K]> }
      : T extends object
        ? { [K in keyof T]?: DeepPartial<T[K]> }
        : T;

  /** The elements of a list. */
  export type ElementOf<T> = 0 extends 1 & T ? any : T extends readonly (infer Element)[] ? Element : never;

  type MaybePromise<T> = T | PromiseLike<T>;

  // ---------------------------------------------------------------------------------------------- a prompt file

  /**
   * The default export of a prompt file: runs once before the first step and again before every further step.
   *
   * With a schema, its second argument is the validated input. A type argument that is no schema gives the methods of plugins.
   *
   *     export const input = z.object({ city: z.string() });
   *     /** @type {import('lmthing').PromptFunction<typeof input>} *\/
   *     export default async ({ $ }, { city }) => { … };
   */
  export type PromptFunction<Input = {}, Methods = {}> = [Input] extends [SchemaObject]
    ? (prompt: Prompt & Methods, input: InputValue<Input>) => any
    : (prompt: Prompt & Input & Methods) => any;

  /**
   * The default export of a prompt file by its other exports: the methods are those of `config.plugins`, the second argument
   * is what `input` makes of what was given. `lmthing check` takes a default export for this when nothing else is said.
   *
   *     /** @type {import('lmthing').PromptFunctionOf<typeof config, typeof input>} *\/
   */
  export type PromptFunctionOf<Config = {}, Input = undefined> = (prompt: PromptOf<Config>, input: InputValue<Input>) => any;

  /** What the prompt function of a file with this `config` gets: the methods of its plugins are there as well. */
  export type PromptOf<Config> = PromptWith<MethodsOf<Config>>;

  /** A prompt with further methods, which its agents have too. */
  export type PromptWith<Methods> = Prompt<Methods> & Methods;

  /** A schema of a schema library, or marked JSON Schema. */
  type SchemaObject =
    | { readonly '~standard': any }
    | { readonly _zod: any }
    | { readonly _output: any }
    | { readonly type: string }
    | { readonly properties: object };

  /** The export `input` of a prompt file: a zod object, or JSON Schema of type `object`. */
  export type InputSchema = StandardSchema<object, object> | ObjectSchema;

  /** JSON Schema of type `object`. */
  export interface ObjectSchema {
    readonly type?: string | readonly string[];
    readonly properties?: { readonly [name: string]: unknown };
    readonly '~standard'?: never;
    readonly [keyword: string]: unknown;
  }

  /** What an {@link InputSchema} makes of what was given: defaults and transforms applied. Without a schema it may be anything. */
  export type InputValue<S> = S extends { readonly _output: infer Output }
    ? Output
    : S extends { readonly _zod: any } | { readonly '~standard': any }
      ? Infer<S>
      : S extends object
        ? Record<string, any>
        : any;

  /** The export `config` of a prompt file, and the second argument of {@link runPrompt}. */
  export interface Config {
    /**
     * The model: `'provider:model'`, `'local'` or `'local:NAME'` (a model of a server on this machine), an alias
     * (`LM_MODEL_<ALIAS>`), `'mock'` (plays the file's export `mock`), a model object, or a list of these: the next
     * one is tried when one fails before its first visible byte.
     */
    model: Model | readonly ListedModel[];
    options?: Options;
    /** Objects of functions that become methods of the prompt and of its agents. */
    plugins?: PluginList;
    /** Limits for the code that a model writes (`defFunction`, `defMethod`). */
    sandbox?: SandboxConfig;
    /** Limits of a run of the file, including its agents and code. */
    limits?: Limits;
    /** What models cost, over the built-in price table; keys are model strings. */
    prices?: Record<string, Price>;
    /**
     * Whether runs of the file are recorded in the journal, from which `lmthing resume` continues them; `false` applies even if
     * there is a journal already. The prompt file's own config decides, not that of prompts it runs.
     */
    journal?: boolean;
    /** What the prompt shows of functions that the model calls from code. */
    functions?: {
      /**
       * Bytes of declarations. When there are more, the prompt lists names, and the model looks declarations up with
       * `searchFunctions`; 8192 unless set.
       */
      promptBytes?: number;
    };
    /** Servers that `defMcp` may name, as in an `mcp.json`. */
    mcpServers?: Record<string, McpServer>;
  }

  /**
   * Limits of a whole run. Each is checked before every request; one that is reached ends the run with code 4. Those of the
   * command line (`--max-steps`, `--max-tokens`, `--max-cost`, `--timeout`) apply as well: the smaller one counts.
   */
  export interface Limits {
    /** Requests to models, those of agents included. */
    steps?: number;
    /** Tokens of input (cached ones too) and output (reasoning too). */
    tokens?: number;
    /** US dollars. The price of every model used must be known. */
    cost?: number;
    /** From the start of the program: text such as `'90s'` or `'1m30s'`, or milliseconds. */
    time?: string | number;
    /** Requests to models at the same time; 8 unless set. */
    parallel?: number;
  }

  /** US dollars per million tokens. */
  export interface TokenPrices {
    input: number;
    /** Input from the provider's cache; as `input` unless set. */
    cachedInput?: number;
    /** Input written to that cache; as `input` unless set. */
    cacheWrite?: number;
    output: number;
  }

  /** What a model costs. The service tier of an answer decides; without a price for it, the cost is unknown. */
  export interface ModelPrices extends TokenPrices, Partial<SearchPrice>, Partial<BatchPrice> {
    flex?: TokenPrices;
    priority?: TokenPrices;
    fast?: TokenPrices;
  }

  /** What answers of batches cost (`lmthing map --batch`). */
  export interface BatchPrice {
    /** A factor of the prices of the standard tier, from 0 to 1, or prices of their own; 0.5 unless set. */
    batch: number | TokenPrices;
  }

  /** What the searches of a provider cost. */
  export interface SearchPrice {
    /** US dollars per 1000 searches. */
    webSearch: number;
  }

  /** Prices of one model. With `webSearch` or `batch` alone, tokens have their usual price. */
  export type Price = ModelPrices | (SearchPrice & Partial<BatchPrice>) | BatchPrice;

  /** Call settings; what is unset is left to the provider. Agents inherit all of these. */
  export interface CallSettings {
    /** Tokens the model may write in one step. */
    maxOutputTokens?: number;
    temperature?: number;
    topP?: number;
    topK?: number;
    presencePenalty?: number;
    frequencyPenalty?: number;
    /** The model stops when it writes one of these. */
    stopSequences?: string[];
    seed?: number;
    /**
     * How much the model should think: a level, or a budget in tokens. It is translated to each provider's own setting;
     * `providerOptions` take precedence.
     */
    reasoning?: 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | { tokens: number };
    /**
     * The service tier: `'flex'` is cheaper and slower, `'priority'` and `'fast'` are faster and dearer. Sent where the provider
     * has one; elsewhere a warning.
     */
    tier?: 'flex' | 'standard' | 'priority' | 'fast';
    /**
     * The provider's prompt cache, which is used unless this is `false`. `ttl` is how long the provider should keep
     * the beginning of the conversation, `'long'` its longest; `key` brings requests with the same beginning to the
     * same cache. What a provider lacks is left out with a warning.
     */
    cache?: boolean | { ttl?: '5m' | '1h' | 'long'; key?: string };
    /** Further attempts after a failure that may pass; 2 unless set. Nothing is retried after the first visible byte. */
    maxRetries?: number;
    /** Request headers; they take precedence over the provider's own. */
    headers?: Record<string, string>;
    /**
     * Milliseconds: a number for the whole call, or one for each part. Unless set: `total` no limit, `firstByte` (until
     * the head of the answer) 5 minutes, `idle` (between two pieces of the answer) 5 minutes.
     */
    timeout?: number | { total?: number; firstByte?: number; idle?: number };
    /** Ends the run; awaiting its result then throws an `AbortError`. */
    abortSignal?: AbortSignal;
    /** Settings only one provider knows, by the provider's name. */
    providerOptions?: Record<string, Record<string, unknown>>;
    /** Maximal nesting depth of agents; 16 unless set. */
    maxAgentDepth?: number;
  }

  /** Settings of one prompt that its agents do not inherit. */
  export interface PromptSettings {
    /** Plain text at the top of the system prompt. */
    system?: string;
    /** Another name of `system`. */
    instructions?: string;
    toolChoice?: 'auto' | 'required' | 'none' | { type: 'tool'; toolName: string };
    /** Restricts the tools that the model may call. */
    activeTools?: string[];
    /** Ends the run after a step when one of the conditions holds. */
    stopWhen?: StopCondition | readonly StopCondition[];
    /** Steps a run may take before it ends with a `LimitError`; 1000 unless set. */
    maxSteps?: number;
    /**
     * How often the model gets the errors of an answer that does not match `output`, and may answer again; 2 unless set. For
     * an agent with `responseSchema` 0 unless set.
     */
    outputRetries?: number;
    /** Called after every step. */
    onStepFinish?: (step: StepResult) => unknown;
    /** Called at the end of a run that was not interrupted. */
    onFinish?: (result: StepResult & { steps: StepResult[]; totalUsage: Usage; totalCost: number | null }) => unknown;
    /** Another name of `onStepFinish`. */
    onStepEnd?: PromptSettings['onStepFinish'];
    /** Another name of `onFinish`. */
    onEnd?: PromptSettings['onFinish'];
  }

  export interface Options extends CallSettings, PromptSettings {}

  /** Called after every step; a true result ends the run. */
  export type StopCondition = (run: { steps: StepResult[] }) => unknown;

  // ----------------------------------------------------------------------------------- what a prompt function gets

  /**
   * A reference to a definition. In templates and string concatenation it is its tag, `<NAME>`.
   */
  export interface Reference {
    /** The tag, `<NAME>`. */
    readonly value: string;
    /** The bare name. */
    readonly name: string;
    /** Names the definition in a reminder at the end of the next request, once. */
    remind(): void;
    /** Hides the definition on the step being prepared. In the body of the function: on every step. */
    disable(): void;
    toString(): string;
    valueOf(): string;
    toJSON(): string;
  }

  export type Scalar = string | number | boolean | bigint | Reference;

  /** A server of the Model Context Protocol: a program, or an address. */
  export type McpServer = McpProgram | McpAddress;

  /** A program that speaks the protocol over its standard input and output. */
  export interface McpProgram {
    /** A name that is looked up in `PATH`, or a path. */
    command: string;
    args?: readonly string[];
    /** Variables besides those that every program needs; provider keys are not passed on. */
    env?: Record<string, string>;
    /** Where it runs; the working directory unless set. */
    cwd?: string;
    /** Other programs' keys of an `mcp.json` are ignored. */
    type?: string;
  }

  /** A server that is reached over HTTP. */
  export interface McpAddress {
    url: string;
    /** Sent with every request. */
    headers?: Record<string, string>;
    /** Other programs' keys of an `mcp.json` are ignored. */
    type?: string;
  }

  /** Options of {@link PromptMethods.defWebSearch}. */
  export interface WebSearchOptions {
    /** Pages of these domains only, such as `'example.com'`. */
    allowedDomains?: readonly string[];
    /** No pages of these domains. */
    blockedDomains?: readonly string[];
    /** How many searches the provider may make for an answer. */
    maxUses?: number;
    /** Where the user is, approximately. `country` has two letters, `timezone` is a name such as `Europe/Rome`. */
    location?: { city?: string; region?: string; country?: string; timezone?: string };
    /** The search of a model whose provider has none. */
    else?: (args: { query: string }, call: ToolExecution) => unknown;
  }

  /** How the tools of a server are used. The callbacks apply to each of them. */
  export interface McpOptions extends Omit<ToolOptions<any>, 'responseSchema' | 'providerOptions'> {
    /**
     * What they become: tools `name_tool` (unless set), or functions of a namespace that the model calls from code:
     * `name.tool(args)`.
     */
    as?: 'tools' | 'functions';
    /** Only tools whose names, as the server has them, match one of these globs (`*`, `?`). */
    include?: string | readonly string[];
    /** Not those that match one of these. */
    exclude?: string | readonly string[];
    /** Milliseconds until the server has started and answered; 30 000 unless set. */
    timeout?: number;
    /** Milliseconds that a call may take without reporting progress; 300 000 unless set. */
    callTimeout?: number;
  }

  /** A reference to a server. */
  export interface McpReference extends Reference {
    /** Reads a resource: a string when it is one text, else its parts, which `defMessage` takes. */
    resource(uri: string): Promise<any>;
    /** The messages of a prompt of the server, each as `defMessage(role, content)` takes it. */
    prompt(name: string, args?: Record<string, string>): Promise<{ role: 'user' | 'assistant'; content: any }[]>;
  }

  /** The methods of a prompt. All can be taken out: `({ def, $ }) => …`. */
  export interface PromptMethods<Methods = Record<string, any>> {
    /**
     * Defines a variable; the system prompt lists it as `<NAME>value</NAME>`. The same name again replaces the value.
     * @param name not empty, without white space, `<` and `>`; otherwise a `TypeError`
     */
    def(name: string, value: Scalar): Reference;

    /**
     * Defines a variable with structured data, shown as YAML.
     * @param data anything JSON can express; `undefined`, functions and cycles throw a `TypeError`
     */
    defData(name: string, data: unknown): Reference;

    /** Defines a section of the system prompt: `<name>`, the content, `</name>`. */
    defSystem(name: string, content: Scalar): Reference;

    /** Adds a message to the conversation. Only the first run of the function adds messages. */
    defMessage(
      role: 'user' | 'assistant' | 'system',
      content: string | Reference | Blob | readonly (string | UserPart | Blob)[],
    ): void;

    /**
     * Adds a user message: `` $`Greet ${name}` ``. `undefined` is dropped, a reference becomes its tag, an object with a
     * `value` is replaced by it, a `File` or `Blob` becomes a part at its place. Only the first run of the function adds messages.
     */
    $(strings: TemplateStringsArray | string | Blob, ...values: unknown[]): void;

    /**
     * Defines a tool. Arguments are validated first; then `beforeCall`, `execute`, and `onSuccess` or `onError` run. An
     * exception becomes the result `{error: message}`, and the run continues.
     * @param description what the tool does, for the model
     * @param execute a string result is sent as text, any other as JSON, `undefined` as `null`
     */
    defTool<S extends Schema, R>(
      name: string,
      description: string,
      inputSchema: S,
      execute: (args: Infer<S>, call: ToolExecution) => MaybePromise<R>,
      options?: ToolOptions<Infer<S>>,
    ): Reference;
    /** Defines one tool that runs several: `{calls: [{name, args}]}` gives `{results: [{name, result}]}`, in order. */
    defTool(name: string, description: string, tools: readonly SubTool[]): Reference;

    /**
     * Defines an agent: a tool that runs a prompt of its own. What the child's model answers is the result; with
     * `responseSchema` the answer is checked, and a mismatch is shown to the model as `{response, validationError}`.
     * @param setUp runs once a call with the validated arguments and the child prompt, and defines what the child needs
     */
    defAgent<S extends Schema, P extends PluginList = [], Count extends number = never>(
      name: string,
      description: string,
      inputSchema: S,
      setUp: (args: Infer<S>, child: PromptWith<Methods & MethodsOfGiven<P, Count>>) => unknown,
      options?: AgentOptions & GivenPlugins<P, Count>,
    ): Reference;
    /** Defines one tool that runs several agents: `{results: [{name, response, steps, validationError?}]}`. */
    defAgent(name: string, description: string, agents: readonly SubAgent[]): Reference;

    /**
     * Adds the tools of an MCP server. It is connected before the first step, once per run, and shared with agents.
     * @param server its program or address, or its name in `config.mcpServers`, the file of `--mcp-config` or `.mcp.json`
     */
    defMcp(name: string, server: McpServer | string, options?: McpOptions): McpReference;

    /**
     * Web search by the model's provider. A model whose provider has none gets a tool that runs `else`; without `else` it is
     * refused before the request. Both lists of domains at once, and unknown options, are a `TypeError`.
     */
    defWebSearch(options?: WebSearchOptions): Reference;

    /**
     * Any other tool that the provider runs, as that provider's JSON: `{anthropic: {type: 'code_execution_20250825', name:
     * 'code_execution'}}`. A model of another provider gets a tool of this name that runs `else`; without `else` it is
     * refused before the request.
     */
    defProviderTool(
      name: string,
      tools: { readonly [provider: string]: object },
      options?: { else?: (args: any, call: ToolExecution) => unknown },
    ): Reference;

    /**
     * A value that persists between steps. The returned value is a snapshot, as in React; a change by `set` is visible immediately
     * to `getState`, and to `defState` on the next run. A type that the first value does not show (`null`, an empty list or
     * object) is `any`; in TypeScript, `defState<string[]>('names', [])` declares it.
     * @param initial the first value, or a function that makes it
     */
    defState<Key extends string, T>(key: Key, initial: T | (() => T)): State<Widened<T>>;
    defState<T>(key: string, initial: T | (() => T)): State<T>;

    /** The current value of a state; `undefined` for an undefined key. */
    getState<T = any>(key: string): T | undefined;

    /**
     * Runs a function after the body and before the step's request.
     * @param effect may be async; a function it returns is the clean-up, run before its next run and at the end
     * @param deps none: on every step; `[]`: once; else when one has changed by `Object.is`
     */
    defEffect(
      effect: (context: EffectContext, stepModifier: StepModifier) => MaybePromise<void | (() => unknown)>,
      deps?: readonly unknown[],
    ): void;

    /** Reminders that were not sent yet, in call order. */
    getRemindedItems(): { type: DefinitionType; name: string }[];

    /**
     * A list of tasks with the tools `startTask`, `completeTask` and `failTask`; its status is part of every step's system
     * prompt. State key: `taskList`.
     * @param tasks used on the first run only; empty unless given
     */
    defTaskList(tasks?: readonly TaskInput[]): [tasks: Task[], set: (next: TaskInput[] | ((previous: Task[]) => TaskInput[])) => void];

    /**
     * Tasks that depend on each other, with the tools `generateTaskGraph`, `getUnblockedTasks`, `updateTaskStatus`,
     * `spawnTask`, `forkTask`, `askHuman`, `answerQuestion` and `readTree`; the status is part of every step's system prompt.
     * State key: `taskGraph`. Cycles and unknown references cause warnings on stderr.
     * @param tasks used on the first run only; empty unless given
     */
    defTaskGraph(
      tasks?: readonly TaskNodeInput[],
    ): [graph: TaskNode[], set: (next: TaskNodeInput[] | ((previous: TaskNode[]) => TaskNodeInput[])) => void];

    /**
     * Defines a function that the model calls from TypeScript it writes, with the tool `runToolCode`. The code is type
     * checked, then run in a sandbox.
     */
    defFunction<S extends Schema, R>(
      name: string,
      description: string,
      inputSchema: S,
      execute: (args: Infer<S>, call: ToolExecution) => MaybePromise<R>,
      options?: ToolOptions<Infer<S>>,
    ): Reference;
    /** Defines a namespace of functions: the model calls `name.function(args)`. */
    defFunction(name: string, description: string, functions: readonly SubFunction[]): Reference;

    /** Defines an agent that the model calls from TypeScript; the code gets the answer, parsed by `responseSchema`. */
    defFunctionAgent<S extends Schema, P extends PluginList = [], Count extends number = never>(
      name: string,
      description: string,
      inputSchema: S,
      setUp: (args: Infer<S>, child: PromptWith<Methods & MethodsOfGiven<P, Count>>) => unknown,
      options?: FunctionAgentOptions<Infer<S>> & GivenPlugins<P, Count>,
    ): Reference;
    /** Defines a namespace of such agents. */
    defFunctionAgent(name: string, description: string, agents: readonly SubFunctionAgent[]): Reference;

    /**
     * Defines a function for `<run_code>` blocks in the model's text: the block is checked and run, the value it returns
     * (`null` too) takes its place as `<code_response>`.
     * @param responseSchema types and checks the return value; options as for `defFunction` may be given instead
     */
    defMethod<S extends Schema, R>(
      name: string,
      description: string,
      inputSchema: S,
      execute: (args: Infer<S>) => MaybePromise<R>,
      responseSchema?: Schema | ToolOptions<Infer<S>>,
    ): Reference;
  }

  /** A state: its value, and what changes it. */
  export type State<T> = [value: T, set: SetState<T>];
  type SetState<T> = 0 extends 1 & T ? SetAny : (next: T | ((previous: T) => T)) => void;
  interface SetAny {
    (next: (previous: any) => any): void;
    (next: any): void;
  }

  /** Types that a first value does not show become `any`, also one level down. */
  type Widened<T> = 0 extends 1 & T
    ? any
    : [T] extends [null | undefined]
      ? any
      : T extends readonly (infer Item)[]
        ? [Item] extends [never] ? any[] : IsOpen<Item> extends true ? Opened<Item>[] : T
        : keyof T extends never
          ? T extends object ? Record<string, any> : T
          : IsOpen<T> extends true ? Opened<T> : T;
  /** Whether it is an object with properties of which only emptiness is known. */
  type IsOpen<T> = T extends object ? (true extends { [K in keyof T]-?: IsEmpty<T[K]> }[keyof T] ? true : false) : false;
  type IsEmpty<T> = 0 extends 1 & T ? false : [T] extends [null | undefined | readonly never[]] ? true : false;
  type Opened<T> = { [K in keyof T]: IsEmpty<T[K]> extends true ? ([T[K]] extends [null | undefined] ? any : any[]) : T[K] };

  /** What a prompt function gets. {@link PromptOf} has the methods of plugins as well. */
  export interface Prompt<Methods = Record<string, any>> extends PromptMethods<Methods> {
    /** What every finished step sent and got. */
    readonly steps: PromptStep[];
    /** The same with the whole request as `input` and the raw parts of the model's stream as `output`. */
    readonly fullSteps: FullStep[];
  }

  /** A prompt that may have methods of plugins. */
  export type AnyPrompt = PromptWith<Record<string, any>>;

  export type DefinitionType =
    | 'def' | 'defData' | 'defSystem' | 'defTool' | 'defAgent' | 'defFunction' | 'defFunctionAgent' | 'defMethod' | 'defMcp'
    | 'defWebSearch' | 'defProviderTool';

  /** An object of functions, each called with the prompt as `this`. */
  export type Plugin = { [method: string]: unknown } & ThisType<AnyPrompt>;
  /** The empty list makes TypeScript infer a tuple, with a separate type for each plugin. */
  export type PluginList = readonly [] | readonly Plugin[];

  /** The methods that the plugins of a `config` add. Plugins that are not known by their type may have any. */
  export type MethodsOf<Config> = 0 extends 1 & Config
    ? Record<string, any>
    : 'plugins' extends keyof Config ? MethodsOfPlugins<Config['plugins']> : {};
  /** The methods that a list of plugins adds. */
  export type MethodsOfPlugins<Plugins> = 0 extends 1 & Plugins
    ? Record<string, any>
    : Joined<Plugins extends readonly (infer Each)[] ? MethodsOfPlugin<Each> : never>;
  type MethodsOfPlugin<P> = P extends unknown
    ? string extends keyof P
      ? Record<string, any>
      : { [K in keyof P as K extends keyof PromptMethods ? never : P[K] extends Function ? K : never]: OmitThisParameter<P[K]> }
    : never;
  type Joined<Each> = [Each] extends [never]
    ? {}
    : (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void ? Flat<All> : never;
  type Flat<T> = string extends keyof T ? T : { [K in keyof T]: T[K] };

  /**
   * Plugins of a call whose function gets their methods. TypeScript checks that function before it has inferred plugins with
   * methods that are written in the call itself. It knows only their number; the methods are then `any`.
   */
  interface GivenPlugins<P extends PluginList, Count extends number> {
    plugins?: (P | PluginList) & { readonly length: Count };
  }
  type MethodsOfGiven<P extends PluginList, Count extends number> = [Count] extends [never]
    ? {}
    : P extends readonly [] ? Record<string, any> : MethodsOfPlugins<P>;

  // ---------------------------------------------------------------------------------------------- tools and agents

  /** The second argument of `execute`. */
  export interface ToolExecution {
    readonly toolCallId: string;
    /** The messages of the step's request, without the system prompt. */
    readonly messages: Message[];
    /** Aborted when `options.abortSignal` is, and when a limit ends the run; `undefined` when there is neither. */
    readonly abortSignal: AbortSignal | undefined;
  }

  /** A callback's return value other than `undefined` replaces the result. An exception in a callback becomes the error result. */
  export interface ToolOptions<Args = any> {
    /** The result is validated; a mismatch is an error result. The model sees the schema as well. */
    responseSchema?: Schema;
    /**
     * Requires approval of the call: always, or when the function returns true or throws. Checked after the arguments were
     * validated, before anything else; a denied call has an error result.
     */
    needsApproval?: boolean | ((args: Args) => MaybePromise<boolean>);
    /** Runs before `execute`; a return value skips `execute` and `onSuccess`. */
    beforeCall?: (args: Args, output: undefined) => unknown;
    onSuccess?: (args: Args, output: any) => unknown;
    /** Runs when `execute` threw. */
    onError?: (args: Args, output: { error: string; message: string }) => unknown;
    /**
     * Whether `lmthing resume` repeats a call that was interrupted; `true` unless set. With `false` the result tells the model
     * that the call was interrupted and that its effect is unknown.
     */
    repeat?: boolean;
    providerOptions?: Record<string, Record<string, unknown>>;
  }

  /** What is unset is inherited from the parent; see {@link PromptSettings} for what is not inherited. */
  export interface AgentOptions extends CallSettings, Omit<PromptSettings, 'system' | 'instructions'> {
    model?: Model;
    /** A section of the child's system prompt. */
    system?: string;
    /** Another name of `system`. */
    instructions?: string;
    /** The answer must be JSON of this shape; it may be in a code fence. Refinements are ignored. */
    responseSchema?: Schema;
    /** Further plugins; the parent's are there as well. */
    plugins?: PluginList;
    /** Requires approval of the call, as for a tool. */
    needsApproval?: boolean | ((args: any) => MaybePromise<boolean>);
    /** As for a tool: whether `lmthing resume` continues a call that was interrupted. */
    repeat?: boolean;
  }

  /** Options of an agent that code calls: those of an agent, and the callbacks of a function. */
  export interface FunctionAgentOptions<Args = any>
    extends AgentOptions, Pick<ToolOptions<Args>, 'beforeCall' | 'onSuccess' | 'onError'> {}

  interface SubDefinition<Kind extends string> {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: Schema;
    readonly execute: (args: any, second: any) => unknown;
    readonly options?: object;
    /** Only in the types, so that one kind cannot be taken for another. */
    readonly '~kind'?: Kind;
  }
  export type SubTool = SubDefinition<'tool'>;
  export type SubAgent = SubDefinition<'agent'>;
  export type SubFunction = SubDefinition<'func'>;
  export type SubFunctionAgent = SubDefinition<'funcAgent'>;

  /** One tool of `defTool`'s array form. */
  export function tool<S extends Schema, R>(
    name: string,
    description: string,
    inputSchema: S,
    execute: (args: Infer<S>, call: ToolExecution) => MaybePromise<R>,
    options?: ToolOptions<Infer<S>>,
  ): SubTool;

  /** One agent of `defAgent`'s array form. */
  export function agent<S extends Schema>(
    name: string,
    description: string,
    inputSchema: S,
    setUp: (args: Infer<S>, child: AnyPrompt) => unknown,
    options?: AgentOptions,
  ): SubAgent;

  // ------------------------------------------------------------------------------------------------------- effects

  /** An array with a search by name (messages: by role) or by a predicate. */
  export interface Collection<T> extends ReadonlyArray<T> {
    has(key: string | Reference | ((item: T) => unknown)): boolean;
  }

  /** A tool as described to the model. */
  export interface EffectTool {
    name: string;
    description: string;
    type: 'tool' | 'agent';
    inputSchema: JsonSchema;
    /** The members of an array form. */
    tools?: { name: string; description: string; inputSchema: JsonSchema }[];
  }

  /** What the prompt looks like before the step's request. */
  export interface EffectContext {
    /** The number of the step being prepared, from 0. */
    readonly stepNumber: number;
    /** The conversation so far, without the system prompt. */
    readonly messages: Collection<Message>;
    /** Description and JSON Schema are what the model gets: a composite lists its sub-tools. */
    readonly tools: Collection<EffectTool>;
    readonly systems: Collection<{ name: string; value: string }>;
    /** The value of data is its YAML. */
    readonly variables: Collection<{ name: string; type: 'string' | 'data'; value: string }>;
    /** The latest tool call. */
    readonly lastTool: { toolName: string; args: any; output: any } | null;
  }

  /** Changes the step being prepared, and no other. Calls add up. Throws a `TypeError` for items of another shape. */
  export type StepModifier = <Aspect extends keyof StepItems>(aspect: Aspect, items: readonly StepItems[Aspect][]) => void;

  /** What the aspects of a step are made of. */
  export interface StepItems {
    /** Replaces the conversation; a string is a user message. */
    messages: string | Message;
    /** Replaces the active tools by those named. */
    tools: string | { name: string };
    /** Replaces the system sections. */
    systems: Reference | { name: string; value: Scalar };
    /** Adds variables, or replaces those of the same name. */
    variables: Reference | { name: string; value: unknown; type?: 'string' | 'data' };
  }

  // ------------------------------------------------------------------------------------------------ messages and steps

  interface WithProviderOptions {
    providerOptions?: Record<string, Record<string, unknown>>;
  }
  export interface TextPart extends WithProviderOptions { type: 'text'; text: string }
  export interface ReasoningPart extends WithProviderOptions { type: 'reasoning'; text: string }
  /** `image`: an http(s) URL, a data URL, base64, bytes, or a `Blob`. */
  export interface ImagePart extends WithProviderOptions {
    type: 'image';
    image: string | Uint8Array | ArrayBuffer | Blob;
    mediaType?: string;
  }
  /** `data`: an http(s) URL, a data URL, base64, bytes, or a `Blob`, which knows its type. */
  export interface FilePart extends WithProviderOptions {
    type: 'file';
    data: string | Uint8Array | ArrayBuffer | Blob;
    mediaType?: string;
    filename?: string;
  }
  export interface ToolCallPart extends WithProviderOptions {
    type: 'tool-call';
    toolCallId: string;
    toolName: string;
    /** The parsed arguments; a string when the model's text was not JSON. */
    input: any;
    /** The provider has run the call itself. */
    providerExecuted?: true;
  }
  export interface ToolResultPart extends WithProviderOptions {
    type: 'tool-result';
    toolCallId: string;
    toolName: string;
    output: { type: 'text' | 'json' | 'error-text' | 'error-json'; value: any };
    /** The child's steps when an agent produced the result. */
    agentSteps?: PromptStep[];
    /** The result of a call that the provider has run itself; it is part of the answer. */
    providerExecuted?: true;
  }
  export type UserPart = TextPart | ImagePart | FilePart;
  export type Part = UserPart | ReasoningPart | ToolCallPart | ToolResultPart;
  /** A part of an answer. Members of other part types may be read, and are `undefined`. */
  export type AnswerPart = AnyOf<TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart>;
  type AnyOf<Union, Key extends PropertyKey = Union extends unknown ? keyof Union : never> = Union extends unknown
    ? Union & { [Other in Exclude<Key, keyof Union>]?: undefined }
    : never;

  export interface Message extends WithProviderOptions {
    role: 'system' | 'user' | 'assistant' | 'tool';
    /** A string for system messages and for user messages of one text; else parts. */
    content: any;
  }

  export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

  /** Tokens; a count the provider did not give is `null`. */
  export interface Usage {
    inputTokens: number | null;
    outputTokens: number | null;
    totalTokens: number | null;
    reasoningTokens: number | null;
    /** The part of the input that was read from the provider's cache. */
    cachedInputTokens: number | null;
    /** The part of the input that was written to the provider's cache; only if the provider reports it. */
    cacheWriteTokens?: number;
    /** The part of them that the provider keeps for an hour. */
    longCacheWriteTokens?: number;
    /** Searches of the provider's own, where it reports them. */
    webSearches?: number;
  }

  /** A page or document that an answer is based on. */
  export interface Source {
    id: string;
    /** Missing for a document that the request contained. */
    url?: string;
    title?: string;
    mediaType?: string;
    cites: Cite[];
  }
  /** A part of the step's text that is based on a source: `text.slice(start, end)`. */
  export interface Cite { start: number; end: number; text: string }

  /** A step of `prompt.steps`. */
  export interface PromptStep {
    input: { prompt: Message[] };
    output: { content: AnswerPart[]; finishReason: FinishReason };
    activeTools: string[];
  }

  /** A request as it was sent. Settings that are not set are left out. */
  export interface FullInput extends Omit<CallSettings, 'maxRetries' | 'timeout' | 'abortSignal' | 'maxAgentDepth'> {
    prompt: Message[];
    tools?: { name: string; description: string; inputSchema: JsonSchema; [key: string]: any }[];
    toolChoice?: any;
    [setting: string]: any;
  }

  /** A step of `prompt.fullSteps`. */
  export interface FullStep {
    input: FullInput;
    /** The parts of the model's stream as they came. */
    output: { type: string; [key: string]: any }[];
    activeTools: string[];
  }

  /** A step of `result.steps`, and what `onStepFinish` and `stopWhen` get. */
  export interface StepResult {
    /** From 0. */
    stepNumber: number;
    text: string;
    reasoningText?: string;
    content: AnswerPart[];
    toolCalls: ToolCallPart[];
    /** Results of calls that the provider has run come first. */
    toolResults: ToolResult[];
    /** What the answer is based on. */
    sources: Source[];
    finishReason: FinishReason;
    usage: Usage;
    /** US dollars; `null` when the price, or the number of tokens, is not known. A mock or local model costs 0. */
    cost: number | null;
    warnings: { type: string; setting?: string; details?: string }[];
    response: ResponseMetadata;
  }

  export interface ToolResult {
    type: 'tool-result' | 'tool-error';
    toolCallId: string;
    toolName: string;
    input: any;
    output: any;
    /** Present for failures. */
    error?: string;
    providerExecuted?: true;
  }

  export interface ResponseMetadata {
    id?: string;
    modelId?: string;
    /** Unix time in milliseconds. */
    timestamp?: number;
    /** The service tier that answered, in the provider's word. */
    serviceTier?: string;
    /** Why an answer was refused or held back, in the provider's words. */
    ending?: { reason: string; category?: string; message?: string };
    headers?: Record<string, string>;
  }

  // ----------------------------------------------------------------------------------------------------- running

  /** An async iterable that also answers to `getReader().read()`. Leaving it early does not end the run. */
  export interface ResultStream<T> extends AsyncIterableIterator<T> {
    read(): Promise<IteratorResult<T, undefined>>;
    getReader(): ResultStream<T>;
    releaseLock(): void;
    cancel(): Promise<unknown>;
  }

  /** The result of a run. The promises resolve at its end, and reject if it fails. */
  export interface Result<Output = undefined, PartialOutput = DeepPartial<Output>> {
    /** The validated answer of a prompt with `output`, else `undefined`. Rejects with an `OutputError` if no answer matched. */
    readonly output: Promise<Output>;
    /** The text of the last step. */
    readonly text: Promise<string>;
    readonly reasoningText: Promise<string | undefined>;
    readonly steps: Promise<StepResult[]>;
    /** The tool calls of the last step. */
    readonly toolCalls: Promise<ToolCallPart[]>;
    /** The tool results of the last step. */
    readonly toolResults: Promise<ToolResult[]>;
    /** What the answers of all steps are based on, each page or document once. */
    readonly sources: Promise<Source[]>;
    readonly finishReason: Promise<FinishReason>;
    /** The tokens of the last step. */
    readonly usage: Promise<Usage>;
    /** The tokens of all steps together. */
    readonly totalUsage: Promise<Usage>;
    /** The cost of the last step in US dollars; `null` if it is unknown. */
    readonly cost: Promise<number | null>;
    /** The cost of all steps of this run in US dollars, without agents; `null` if that of a step is unknown. */
    readonly totalCost: Promise<number | null>;
    readonly response: Promise<ResponseMetadata>;
    /** Settings the provider did not take, in the last step. */
    readonly warnings: Promise<{ type: string; setting?: string; details?: string }[]>;
    /** The text of all steps, piece by piece. */
    readonly textStream: ResultStream<string>;
    /**
     * The answer of a prompt with `output` while it comes: each value extends the one before, and the last one is the whole
     * answer, before transforms. Only texts grow; numbers and the like appear whole. Rejects with a `TypeError` without `output`.
     */
    readonly partialOutputStream: ResultStream<PartialOutput>;
    /** The elements of an answer that is a list, each once: when it is complete, and validated. */
    readonly elementStream: ResultStream<ElementOf<Output>>;
    /** All events of the run, each with a `type`. */
    readonly fullStream: ResultStream<{ type: string; [key: string]: any }>;
    /** Waits for the end of the run. */
    consumeStream(): Promise<void>;
  }

  /**
   * Runs a prompt from code: the function once, then step after step in the background. Resolves in between, before the
   * first step's effects, so that the function may use the `prompt` it is called through.
   * Rejects when the arguments are wrong, the model cannot be found, or the function throws on its first run.
   */
  export function runPrompt<P extends PluginList = [], Count extends number = never, Output extends Schema | undefined = undefined>(
    fn: (prompt: PromptWith<MethodsOfGiven<P, Count>>, input: any) => any,
    config: Config & GivenPlugins<P, Count> & RunValues<any, Output>,
  ): Promise<{
    result: Result<OutputOf<{ output: Output }>, PartialOutputOf<{ output: Output }>>;
    prompt: StatefulPrompt & MethodsOfGiven<P, Count>;
  }>;
  /**
   * Runs an imported prompt file: the call's options take precedence over the file's own `config`, one by one; plugins are added.
   * Rejects with a `TypeError` when the input does not match the file's `input`.
   */
  export function runPrompt<M extends PromptModule, Output extends Schema | undefined = undefined>(
    module: M,
    config?: Partial<Config> & RunValues<InputOf<M>, Output>,
  ): Promise<{
    result: Output extends Schema
      ? Result<Infer<Output>, PartialOutputOf<{ output: Output }>>
      : Result<OutputOf<M>, PartialOutputOf<M>>;
    prompt: StatefulPrompt;
  }>;

  /**
   * Runs a prompt file with its own exports. A relative path is resolved against the calling file. Otherwise as {@link runPrompt} with
   * an imported file. Files may run files 16 deep.
   */
  export function run<Output extends Schema | undefined = undefined>(
    file: string | URL,
    config?: Partial<Config> & RunValues<any, Output>,
  ): Promise<{
    result: Output extends Schema ? Result<Infer<Output>, PartialOutputOf<{ output: Output }>> : Result<any>;
    prompt: StatefulPrompt;
  }>;

  /** Values for a single run, in addition to its {@link Config}. */
  export interface RunValues<Input, Output> {
    /** The second argument of the prompt function on each of its runs; checked where the prompt is a file with `input`. */
    input?: Input;
    /** The schema of the answer; see {@link Result.output}. */
    output?: Output;
  }

  /** A prompt file as it is imported: `import * as weather from './weather.lmt.mjs'`. */
  export interface PromptModule {
    default: (prompt: any, input: any) => any;
    config?: { [key: string]: any };
    description?: string;
    input?: Schema;
    output?: Schema;
    mock?: readonly any[];
  }

  /** The input of a prompt file. */
  export type InputOf<M> = M extends { input: infer S } ? InferInput<S> : any;
  /** The output of a prompt file. */
  export type OutputOf<M> = M extends { output: infer S } ? (S extends Schema ? Infer<S> : undefined) : undefined;

  /** The output of a prompt file while it comes, before transforms. */
  export type PartialOutputOf<M> = M extends { output: infer S } ? (S extends Schema ? DeepPartial<InferInput<S>> : never) : never;

  /** A prompt driven by hand: define, `run()`, define more, `run()` again to continue the conversation. */
  export interface StatefulPrompt extends Prompt {
    withOptions(options: Options): this;
    withModel(model: Model): this;
    /** Adds the methods of plugins. */
    setPlugins<P extends PluginList>(plugins: P | PluginList): this & MethodsOfPlugins<P>;
    /** Starts the steps. Throws a `TypeError` while a run is in progress. */
    run(): Result;
  }
  export const StatefulPrompt: {
    new (model?: Model, options?: Options): StatefulPrompt;
    create(model?: Model, options?: Options): StatefulPrompt;
  };
  /** Another name of {@link StatefulPrompt}. */
  export const Prompt: typeof StatefulPrompt;

  /** A stop condition that holds after `count` steps. */
  export function stepCountIs(count: number): StopCondition;
  /** Another name of {@link stepCountIs}. */
  export function isStepCount(count: number): StopCondition;
  /** A stop condition that holds when the last step called the tool. */
  export function hasToolCall(name: string | Reference): StopCondition;
  /** Checks plugins and joins them to one array; arrays are spread. */
  export function createPluginArray<P extends readonly (Plugin | readonly Plugin[])[]>(
    ...plugins: P | readonly (Plugin | readonly Plugin[])[]
  ): (P[number] extends infer Each ? Each extends readonly (infer Inner)[] ? Inner : Each : never)[];

  // ------------------------------------------------------------------------------------------------ tasks

  export interface TaskInput {
    id: string | number;
    name: string;
    /** `pending` unless given. */
    status?: 'pending' | 'in_progress' | 'completed' | 'failed';
    [field: string]: unknown;
  }
  export interface Task {
    id: string;
    name: string;
    status: 'pending' | 'in_progress' | 'completed' | 'failed';
    /** The argument of `failTask`. */
    failureReason?: string;
    [field: string]: unknown;
  }

  export type TaskNodeStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'waiting_human';
  export interface TaskNodeInput {
    id: string | number;
    title?: string;
    description?: string;
    /** `pending` unless given. */
    status?: TaskNodeStatus;
    /** Ids of the tasks that must be completed first. */
    dependencies?: readonly string[];
    /** Ids of the tasks that wait for this one. */
    unblocks?: readonly string[];
    required_capabilities?: readonly string[];
    assigned_subagent?: string;
    input_context?: string;
    output_result?: string;
    parent_id?: string;
    [field: string]: unknown;
  }
  export interface TaskNode {
    id: string;
    title: string;
    description: string;
    status: TaskNodeStatus;
    dependencies: string[];
    unblocks: string[];
    required_capabilities: string[];
    assigned_subagent?: string;
    /** The input of the task: its own text, then the results of the tasks it depends on. */
    input_context?: string;
    /** What a completed task produced, or why a failed one failed. */
    output_result?: string;
    parent_id?: string;
    /** Present while the status is `waiting_human`. */
    human_question?: { question: string; options?: string[]; resume_status: 'pending' | 'in_progress' };
    [field: string]: unknown;
  }

  // ------------------------------------------------------------------------------------------------ code mode

  /** Limits for the code that a model writes. Other fields are an error. */
  export interface SandboxConfig {
    /**
     * `'strict'` (the default): every type error blocks. `'essential'`: only unknown names, wrong arguments, missing or excess
     * properties do. `'off'`: only syntax errors do.
     */
    check?: 'strict' | 'essential' | 'off';
    /** Milliseconds the code itself may run; waiting for functions does not count. 5 000 unless set. */
    cpuMs?: number;
    /** Bytes; 64 MiB unless set. */
    memoryBytes?: number;
    /** Bytes; 256 KiB unless set. */
    stackBytes?: number;
    /** Bytes of the result as JSON; 1 MiB unless set. */
    resultBytes?: number;
    /** Limit of captured console output in bytes; 64 KiB unless set. */
    consoleBytes?: number;
    /** Calls of functions; 10 000 unless set. */
    hostCalls?: number;
    /** Milliseconds for syntax and type check; 2 000 unless set. */
    checkMs?: number;
  }

  // ------------------------------------------------------------------------------------------------ models

  /** A model made by a provider function or `createMockModel`. */
  export interface LanguageModel {
    readonly provider: string;
    readonly modelId: string;
  }

  /** A model written in JavaScript: any object with the AI SDK's `doStream`. */
  export interface CustomModel {
    readonly provider?: string;
    readonly modelId?: string;
    doStream(options: any): MaybePromise<{ stream: AsyncIterable<any> | Iterable<any> | ReadableStream<any> }>;
    [key: string]: any;
  }

  /** A piece of a scripted answer. A tool call, an error or a finish ends the model's turn; the rest is for later turns. */
  export type MockItem =
    | { type: 'text'; text: string }
    | { type: 'reasoning'; text: string }
    /** `args` as a string is sent unchanged, so that a mock can write invalid JSON. */
    | { type: 'tool-call'; toolName: string; toolCallId?: string; args?: unknown; providerExecuted?: boolean }
    /** The result of a call with `providerExecuted: true`: of the last one, unless it is named. */
    | { type: 'tool-result'; toolName?: string; toolCallId?: string; result?: unknown; isError?: boolean; providerExecuted?: true }
    /** What the answer is based on; `url` or `title` is needed. */
    | { type: 'source'; id?: string; url?: string; title?: string; mediaType?: string; cites?: Cite[]; sourceType?: 'url' | 'document' }
    /** The turn fails with this message. */
    | { type: 'error'; error: string }
    | { type: 'finish'; finishReason?: FinishReason };

  /** `'provider:model'`, an alias, `'mock'`, or a model object. */
  export type Model = string | LanguageModel | CustomModel;

  /** A model in a list of models, which cannot contain models written in JavaScript. */
  export type ListedModel = string | (LanguageModel & { readonly doStream?: never });

  /** Makes models of one provider: `openai('gpt-6.1-sol')`. */
  export interface Provider {
    (modelId: string): LanguageModel;
    languageModel(modelId: string): LanguageModel;
  }
  /** A provider whose one API can also be named: `groq.chat('…')`. */
  export interface ChatProvider extends Provider {
    chat(modelId: string): LanguageModel;
  }
  export interface AnthropicProvider extends Provider {
    messages(modelId: string): LanguageModel;
  }
  /** `openai.chat('…')` speaks the Chat Completions API, `openai.responses('…')` the Responses API. */
  export interface OpenAIProvider extends ChatProvider {
    responses(modelId: string): LanguageModel;
  }

  /** What is unset comes from the environment. */
  export interface ProviderSettings {
    apiKey?: string;
    /** Replaces the default address, path included. */
    baseURL?: string;
    headers?: Record<string, string>;
  }

  export const openai: OpenAIProvider;
  export const anthropic: AnthropicProvider;
  export const google: Provider;
  export const mistral: ChatProvider;
  export const azure: OpenAIProvider;
  export const groq: ChatProvider;
  export const cohere: ChatProvider;
  export const bedrock: Provider;
  export const vertex: Provider;

  export function createOpenAI(settings?: ProviderSettings & { organization?: string; project?: string }): OpenAIProvider;
  export function createAnthropic(settings?: ProviderSettings): AnthropicProvider;
  export function createGoogleGenerativeAI(settings?: ProviderSettings): Provider;
  export function createMistral(settings?: ProviderSettings): ChatProvider;
  export function createAzure(
    settings?: ProviderSettings & {
      resourceName?: string;
      apiVersion?: string;
      /** A token of Entra ID in place of a key. */
      azureADToken?: string;
    },
  ): OpenAIProvider;
  export function createGroq(settings?: ProviderSettings): ChatProvider;
  export function createCohere(settings?: ProviderSettings): ChatProvider;
  export function createAmazonBedrock(
    settings?: ProviderSettings & {
      region?: string;
      accessKeyId?: string;
      secretAccessKey?: string;
      sessionToken?: string;
    },
  ): Provider;
  export function createVertex(
    settings?: ProviderSettings & { project?: string; location?: string; googleAuthOptions?: { credentials?: object } },
  ): Provider;
  /** Any server that speaks the Chat Completions API. */
  export function createOpenAICompatible(
    settings: ProviderSettings & {
      name: string;
      baseURL: string;
      queryParams?: Record<string, string>;
      /** `false`: token counts are not requested. */
      includeUsage?: boolean;
    },
  ): ChatProvider;

  // Other names of the same functions.
  export const createOpenAIProvider: typeof createOpenAI;
  export const createAnthropicProvider: typeof createAnthropic;
  export const createGoogle: typeof createGoogleGenerativeAI;
  export const createGoogleProvider: typeof createGoogleGenerativeAI;
  export const createMistralProvider: typeof createMistral;
  export const createAzureProvider: typeof createAzure;
  export const createGroqProvider: typeof createGroq;
  export const createCohereProvider: typeof createCohere;
  export const createBedrock: typeof createAmazonBedrock;
  export const createBedrockProvider: typeof createAmazonBedrock;
  export const createVertexProvider: typeof createVertex;

  /** Everything this module exports. */
  const everything: Omit<typeof import('lmthing'), 'default'>;
  export default everything;
}

declare module 'lmthing/plugins' {
  import type {
    AnyPrompt, FunctionAgentOptions, Infer, Plugin, PromptMethods, Schema, SubFunction, SubFunctionAgent, TaskNode,
    TaskNodeInput, ToolExecution, ToolOptions,
  } from 'lmthing';

  // The methods that every prompt has. As values they are for plugins of your own: `defTaskList.call(this, tasks)`.
  export const defTaskList: PromptMethods['defTaskList'];
  export const defTaskGraph: PromptMethods['defTaskGraph'];
  export const defFunction: PromptMethods['defFunction'];
  export const defFunctionAgent: PromptMethods['defFunctionAgent'];
  export const defMethod: PromptMethods['defMethod'];

  // The plugin objects. They are built in: naming them in `plugins` changes nothing.
  export const taskListPlugin: Pick<PromptMethods, 'defTaskList'>;
  export const taskGraphPlugin: Pick<PromptMethods, 'defTaskGraph'>;
  export const functionPlugin: Pick<PromptMethods, 'defFunction' | 'defFunctionAgent'>;
  export const methodPlugin: Pick<PromptMethods, 'defMethod'>;
  /** All of them. */
  export const builtinPlugins: (typeof taskListPlugin | typeof taskGraphPlugin | typeof functionPlugin | typeof methodPlugin)[];

  /** One function of `defFunction`'s array form. */
  export function func<S extends Schema, R>(
    name: string,
    description: string,
    inputSchema: S,
    execute: (args: Infer<S>, call: ToolExecution) => R | PromiseLike<R>,
    options?: ToolOptions<Infer<S>>,
  ): SubFunction;

  /** One agent of `defFunctionAgent`'s array form. */
  export function funcAgent<S extends Schema>(
    name: string,
    description: string,
    inputSchema: S,
    setUp: (args: Infer<S>, child: AnyPrompt) => unknown,
    options?: FunctionAgentOptions<Infer<S>>,
  ): SubFunctionAgent;

  /** The ids of the tasks in a cycle; empty when there is none. */
  export function detectCycles(tasks: readonly TaskNodeInput[]): string[];
  /** What is wrong with a graph, one message for each problem. */
  export function validateTaskGraph(tasks: readonly TaskNodeInput[]): string[];
  /** The tasks with `dependencies` and `unblocks` made to agree. */
  export function normalizeTaskGraph(tasks: readonly TaskNodeInput[]): TaskNode[];
  /** The pending tasks whose dependencies are all completed. */
  export function getUnblockedTasks(tasks: readonly TaskNodeInput[]): TaskNode[];

  /** Everything this module exports. */
  const everything: Omit<typeof import('lmthing/plugins'), 'default'>;
  export default everything;
}

/** Eval files, `NAME.eval.lmt.mjs`, run by `lmthing eval`. */
declare module 'lmthing/eval' {
  import type { FinishReason, Limits, ListedModel, Model, Options, PromptStep, Usage } from 'lmthing';
  import type { TestToolCall } from 'lmthing/test';

  /** The export `rows`: a file of rows relative to the eval file, rows, or a function that gives either. */
  export type Rows = string | URL | readonly Row[] | (() => string | URL | readonly Row[] | Promise<string | URL | readonly Row[]>);

  /** The columns of a row. Those that the prompt file takes are its input; scores get all of them. */
  export type Row = { [column: string]: any };

  /** The export `scores`: how each answer is judged, by names. */
  export type Scores<Output = any, Columns extends Row = Row> = { [name: string]: Score<Output, Columns> };

  /** Judges the answer of a cell. */
  export type Score<Output = any, Columns extends Row = Row> = (cell: Cell<Output, Columns>) => ScoreResult | Promise<ScoreResult>;

  /** Yes or no, a number from 0 to 1, or either with the reason for it. */
  export type ScoreResult = boolean | number | { score: boolean | number; reason?: string | undefined };

  /** The answer for one row, by one variant and model. Each score gets objects of its own. */
  export interface Cell<Output = any, Columns extends Row = Row> {
    /** The answer in the shape of the `output` of the prompt file; missing without one. */
    output: Output;
    text: string;
    row: Columns;
    run: CellRun<Output>;
  }

  /** The run that gave an answer. */
  export interface CellRun<Output = any> {
    text: string;
    output?: Output;
    /** What each step of the prompt itself sent and got. */
    steps: PromptStep[];
    /** Those of the whole run, of agents too, in the order in which they were made. */
    toolCalls: TestToolCall[];
    /** Of the whole run. */
    usage: Usage;
    /** US dollars for the whole run; `null` when a price is not known. */
    cost: number | null;
    finishReason: FinishReason | null;
    durationMs: number;
  }

  /** The export `variants`: what is compared, by names. */
  export type Variants = { [name: string]: Variant };

  /** What differs from the prompt file, its options and the rows. */
  export interface Variant {
    /** Another prompt file, relative to the eval file. */
    file?: string | URL;
    /** Replaces `config.model`, and the models of `--models`. */
    model?: string;
    /** Replaces entries of `config.options`. */
    options?: Omit<Options, 'stopWhen' | 'onStepFinish' | 'onFinish' | 'onStepEnd' | 'onEnd' | 'abortSignal'>;
    /** Replaces properties of the input of each row. */
    input?: { [property: string]: any };
    /** Replaces entries of `config.limits`. */
    limits?: Limits;
  }

  /** Makes a score by which a model judges an answer. */
  export const judge: Judge;

  export type Judge = (
    /** What the answer must satisfy: `is polite and names one city`. */
    criterion: string,
    options: JudgeOptions,
  ) => (answer: { output?: any; text?: string } | string) => Promise<Judgement>;

  /** How a model judges. */
  export interface JudgeOptions {
    /** Which model judges. */
    model: Model | readonly ListedModel[];
    /** The number of verdicts to request; `need` if that is given, else one. */
    of?: number;
    /** How many of them must be positive; the majority unless set. */
    need?: number;
  }

  /** The result of a judge, which is a result of a score. */
  export interface Judgement {
    score: boolean;
    pass: boolean;
    reason: string;
  }

  const everything: Omit<typeof import('lmthing/eval'), 'default'>;
  export default everything;
}

declare module 'lmthing/test' {
  import type {
    FinishReason, FullStep, LanguageModel, MockItem, Model, PromptStep, Source, StandardSchema, Usage,
  } from 'lmthing';

  import type { Judge, JudgeOptions } from 'lmthing/eval';

  export type { MockItem } from 'lmthing';
  export type { JudgeOptions } from 'lmthing/eval';

  /** Items from functions in JavaScript have `type: string`: these are checked when they are played. */
  type MockItemOf<Item extends { type: string }> = string extends Item['type'] ? Item : MockItem;

  /** A model that plays a script. When the script is used up, its answers are empty. */
  export function createMockModel<const Item extends { type: string }>(
    items: readonly MockItemOf<Item>[],
    options?: {
      /** Milliseconds before each item. */
      delay?: number;
      /** Reported at the end of every turn; zeros unless set. */
      usage?: Partial<Usage>;
      /** `false` joins consecutive texts to one piece. */
      streaming?: boolean;
    },
  ): LanguageModel;

  // Test files, `NAME.test.lmt.mjs`, run by `lmthing test`. API that Vitest has as well has the same names and meaning.

  // ----------------------------------------------------------------------------------------------------- tests

  type Procedure = (...args: any[]) => any;
  type Constructable = new (...args: any[]) => any;

  /** The argument of a test function. */
  export interface TestContext {
    readonly task: { readonly name: string; readonly fullName: string; readonly file: { readonly filepath: string }; readonly type: 'test'; readonly mode: string };
    /** Aborted when the test is over. */
    readonly signal: AbortSignal;
    readonly expect: Expect;
    onTestFinished(fn: () => unknown): void;
    onTestFailed(fn: () => unknown): void;
    /** Ends the test here and reports it as skipped. */
    skip(note?: string): never;
    skip(condition: boolean, note?: string): void;
  }

  export interface TestOptions {
    /** Milliseconds; 10 000, or the value of `--timeout`. 0 is no limit. */
    timeout?: number;
    /** How often the test is run, hooks included. */
    repeat?: number;
    /** How many of these have to pass; all unless set. */
    need?: number;
    /** How often a failed test is retried. */
    retry?: number;
    /** Number of additional repetitions, all of which have to pass. */
    repeats?: number;
    skip?: boolean;
    only?: boolean;
    todo?: boolean;
    /** The test passes when it fails. */
    fails?: boolean;
    /** Has no effect: the tests of a file run one after the other. */
    concurrent?: boolean;
    sequential?: boolean;
    tags?: string | readonly string[];
    meta?: object;
  }

  export type TestFunction<Extra = {}> = (context: TestContext & Extra) => unknown;

  /** A title, the function, and a timeout in milliseconds or options, which may also come before the function. */
  interface Define<Fn> {
    (title: string | Procedure, fn?: Fn, options?: number | TestOptions): void;
    (title: string | Procedure, options: TestOptions, fn?: Fn): void;
  }

  /** One for each row, which is spread into the arguments. In the title `%s`, `%d`, `%j`, `%o`, `%#` and `$name` show it. */
  interface Each {
    <Row extends any[] | [any]>(rows: readonly Row[]): Define<(...args: Row) => unknown>;
    <Row extends readonly any[]>(rows: readonly Row[]): Define<(...args: [...Row]) => unknown>;
    <Row>(rows: readonly Row[]): Define<(row: Row) => unknown>;
    (strings: TemplateStringsArray, ...values: any[]): Define<(row: any) => unknown>;
  }

  /** Like `each`, but a row stays one argument, followed by the context. */
  interface For<Rest extends any[]> {
    <Row>(rows: readonly Row[]): Define<(row: Row, ...rest: Rest) => unknown>;
    (strings: TemplateStringsArray, ...values: any[]): Define<(row: any, ...rest: Rest) => unknown>;
  }

  /** The argument of `test.extend`: values, or functions that create one, pass it to `use`, and clean up afterwards. */
  export type Fixtures<Made, Extra = {}> = {
    [Name in keyof Made]: Fixture<Made[Name], Made & Extra> | readonly [Fixture<Made[Name], Made & Extra>, { auto?: boolean; scope?: 'test' }];
  };
  type Fixture<Value, Given> = Value | ((context: TestContext & Given, use: (value: Value) => Promise<void>) => unknown);

  type SomeFixture<Extra> = ((context: TestContext & Extra & Record<string, any>, use: (value: any) => Promise<void>) => unknown) | object | string | number | boolean | null | undefined;
  type MadeBy<Given> = { [Name in keyof Given]: Given[Name] extends readonly [infer Made, { auto?: boolean }] ? MadeByOne<Made> : MadeByOne<Given[Name]> };
  type MadeByOne<Given> = Given extends (context: any, use: infer Use) => any ? (Use extends (value: infer Made) => any ? Made : any) : Given;

  export interface TestApi<Extra = {}> extends Define<TestFunction<Extra>> {
    /** Only this one is run. An error with `CI=true`. */
    readonly only: TestApi<Extra>;
    readonly skip: TestApi<Extra>;
    readonly todo: TestApi<Extra>;
    /** Passes when it fails. */
    readonly fails: TestApi<Extra>;
    readonly concurrent: TestApi<Extra>;
    readonly sequential: TestApi<Extra>;
    skipIf(condition: unknown): TestApi<Extra>;
    runIf(condition: unknown): TestApi<Extra>;
    readonly each: Each;
    readonly for: For<[context: TestContext & Extra]>;
    readonly describe: SuiteApi;
    readonly suite: SuiteApi;
    beforeAll(fn: () => unknown, timeout?: number): void;
    afterAll(fn: () => unknown, timeout?: number): void;
    beforeEach(fn: TestFunction<Extra>, timeout?: number): void;
    afterEach(fn: TestFunction<Extra>, timeout?: number): void;
    /** A `test` whose function gets more than the context, by name. */
    extend<Made extends object = never>(fixtures: Fixtures<NoInfer<Made>, Extra>): TestApi<Extra & Made>;
    extend<Given extends Record<string, SomeFixture<Extra>>>(fixtures: Given): TestApi<Extra & MadeBy<Given>>;
  }

  export interface SuiteApi extends Define<() => unknown> {
    readonly only: SuiteApi;
    readonly skip: SuiteApi;
    readonly todo: SuiteApi;
    readonly concurrent: SuiteApi;
    readonly sequential: SuiteApi;
    readonly shuffle: SuiteApi;
    skipIf(condition: unknown): SuiteApi;
    runIf(condition: unknown): SuiteApi;
    readonly each: Each;
    readonly for: For<[]>;
  }

  /** Defines a test: it fails when its function throws. */
  export const test: TestApi;
  export const it: TestApi;
  /** Groups the tests that its function defines under one title. */
  export const describe: SuiteApi;
  export const suite: SuiteApi;

  /** Runs before the tests of the suite; a function it returns runs after them. The time limit is in milliseconds. */
  export function beforeAll(fn: () => unknown, timeout?: number): void;
  export function afterAll(fn: () => unknown, timeout?: number): void;
  /** Runs before each test, repetitions too; a function it returns runs after it. */
  export function beforeEach(fn: TestFunction, timeout?: number): void;
  export function afterEach(fn: TestFunction, timeout?: number): void;
  /** Within a test: calls a function when it is over. */
  export function onTestFinished(fn: () => unknown): void;
  /** Within a test: calls a function when it has failed. */
  export function onTestFailed(fn: () => unknown): void;

  // ------------------------------------------------------------------------------------------------------ runs

  /**
   * Runs a prompt file as `lmthing run` does. Resolves also when the run failed, with `error`; rejects when the call is wrong.
   * @param file relative to the test file
   */
  export function run<const Item extends { type: string } = MockItem>(file: string | URL, options?: TestRunOptions<Item>): Promise<TestRun>;

  export interface TestRunOptions<Item extends { type: string } = MockItem> {
    input?: unknown;
    /** Replaces `config.model`; `'mock'` plays the file's export `mock`. */
    model?: Model;
    /** Scripted answers that replace a model. */
    mock?: readonly MockItemOf<Item>[];
    /** A recording that replaces models: a path relative to the test file, or a `file:` URL. */
    recording?: string | URL;
    /** Variables for this run; `undefined` removes one. */
    env?: Record<string, string | undefined>;
      /** Names or patterns (`files_*`) of tools whose calls are approved that need it; others are denied. */
      approve?: readonly string[];
    /** Milliseconds above 0 that the run may take; then it ends with an `error` of the kind `limit`. */
    timeout?: number;
  }

  /** A call of a tool somewhere in a run. */
  export interface TestToolCall {
    toolName: string;
    toolCallId: string;
    input: any;
    /** Missing if the run was interrupted before. */
    output?: any;
    /** The provider has run the call itself. */
    providerExecuted?: true;
    /** The names of the agents on the way to the one that called; empty for the prompt itself. */
    agent: string[];
  }

  /** The result of a run. */
  export interface TestRun<Output = any> {
    text: string;
    /** The answer in the shape of the file's `output`. */
    output?: Output;
    /** What each step of the prompt itself sent and got. */
    steps: PromptStep[];
    /** Those of the whole run, of agents too, in the order in which they were made. */
    toolCalls: TestToolCall[];
    /** What the answers of the prompt itself are based on; not enumerable when it is empty. */
    sources: Source[];
    /** Of the whole run. */
    usage: Usage;
    /** US dollars for the whole run; `null` when a price is not known. */
    cost: number | null;
    /** Why the last answer ended; `undefined` when there was none. */
    finishReason: FinishReason | undefined;
    /** Why the run failed; `code` is what `lmthing run` would end with, `hint` what to do about it. */
    error?: { code: number; kind: string; message: string; hint?: string };
    prompt: { readonly steps: PromptStep[]; readonly fullSteps: FullStep[] };
  }

  /** The subject of run matchers: the result of `run()`, or the prompt of `runPrompt()`. */
  type SomeRun = TestRun | { readonly steps: readonly PromptStep[] } | { readonly prompt: { readonly steps: readonly PromptStep[] } };

  // ---------------------------------------------------------------------------------------------- expectations

  /** Makes an assertion about a value: `expect(run.text).toContain('Rome')`. */
  export const expect: Expect;

  /** Makes a function by which a model judges an answer, as in an eval file: `await judge('is polite', { model })(run)`. */
  export const judge: Judge;

  export interface Expect extends AsymmetricMatchers, CustomAsymmetricMatchers {
    <T>(actual: T, message?: string): Assertion<T>;
    /** Like `expect`, but a failing test continues, and fails at its end. */
    soft<T>(actual: T, message?: string): Assertion<T>;
    /** Calls `fn` repeatedly until its value passes. Must be awaited. */
    poll<T>(
      fn: (options: { signal: AbortSignal }) => T,
      options?: { interval?: number; timeout?: number; message?: string },
    ): Assertion<Awaited<T>, Promise<void>>;
    /** Negated matchers. */
    readonly not: NegatedAsymmetricMatchers & CustomAsymmetricMatchers;
    /** Adds matchers, `expect(value).toBeEven()`; their types are added to {@link Matchers}. */
    extend(matchers: Record<string, MatcherFunction>): void;
    /** The test fails at its end unless it made this many assertions. */
    assertions(count: number): void;
    /** The test fails at its end unless it made an assertion. */
    hasAssertions(): void;
    /** Fails: this place must not be reached. */
    unreachable(message?: string): never;
    addEqualityTesters(testers: readonly EqualityTester[]): void;
    /** Adds a serializer for certain values in snapshots. */
    addSnapshotSerializer(serializer: SnapshotSerializer): void;
    getState(): MatcherState;
    setState(state: Partial<MatcherState>): void;
  }

  /** Placeholders for values within an expected value. */
  export interface AsymmetricMatchers extends NegatedAsymmetricMatchers {
    /** Everything but `null` and `undefined`. */
    anything(): any;
    /** An instance of a constructor: `expect.any(Number)`. */
    any(constructor: unknown): any;
  }

  interface NegatedAsymmetricMatchers {
    stringContaining(text: string): any;
    stringMatching(pattern: string | RegExp): any;
    objectContaining<T = any>(properties: T): any;
    arrayContaining<T = unknown>(elements: readonly T[]): any;
    closeTo(value: number, digits?: number): any;
    /** A value that a schema accepts, such as one of zod. */
    schemaMatching(schema: StandardSchema): any;
  }

  interface CustomAsymmetricMatchers extends AsymmetricOf<Matchers<any>> {
    toSatisfy(predicate: (value: any) => boolean): any;
    toBeOneOf(values: readonly unknown[] | ReadonlySet<unknown>): any;
  }
  type AsymmetricOf<M> = { [Name in keyof M]: M[Name] extends (...args: infer Args) => any ? (...args: Args) => any : never };

  /**
   * Matchers of `expect.extend`; a file of declarations adds to it.
   *
   *     declare module 'lmthing/test' { interface Matchers<T> { toBeEven(): void } }
   */
  export interface Matchers<T> {}

  type MatchersGiving<T, R> = { [Name in keyof Matchers<T>]: Matchers<T>[Name] extends (...args: infer Args) => any ? (...args: Args) => R : never };

  /** The result of `expect(value)`. `R` is the result of a matcher: nothing, or a promise after `.resolves` and `.rejects`. */
  export type Assertion<T = any, R = void> = ValueMatchers<T, R> & MockMatchers<T, R> & SnapshotMatchers<R> & RunMatchersOf<T, R> & MatchersGiving<T, R> & ChaiAssertion<T, R> & {
    readonly not: Assertion<T, R>;
    /** Waits for the promise; must be awaited. */
    readonly resolves: Assertion<Awaited<T>, Promise<void>>;
    /** Waits for the promise, or the one that a function returns, to reject; must be awaited. */
    readonly rejects: Assertion<any, Promise<void>>;
  };

  interface ValueMatchers<T, R> {
    /** The same value, or the same object. */
    toBe<E>(expected: E): R;
    /** Deeply equal, apart from properties that are undefined. */
    toEqual<E>(expected: E): R;
    /** Deeply equal, and of the same types. */
    toStrictEqual<E>(expected: E): R;
    /** Has these properties, deeply, or more. */
    toMatchObject<E extends object | readonly any[]>(expected: E): R;
    toBeTruthy(): R;
    toBeFalsy(): R;
    toBeNull(): R;
    toBeUndefined(): R;
    toBeDefined(): R;
    /** `null` or `undefined`. */
    toBeNullable(): R;
    toBeNaN(): R;
    toBeTypeOf(expected: 'bigint' | 'boolean' | 'function' | 'number' | 'object' | 'string' | 'symbol' | 'undefined'): R;
    toBeInstanceOf(constructor: unknown): R;
    toBeGreaterThan(expected: number | bigint): R;
    toBeGreaterThanOrEqual(expected: number | bigint): R;
    toBeLessThan(expected: number | bigint): R;
    toBeLessThanOrEqual(expected: number | bigint): R;
    toBeCloseTo(expected: number, digits?: number): R;
    toBeOneOf<E>(expected: readonly E[] | ReadonlySet<E>): R;
    /** A text matches a pattern, or contains a text. */
    toMatch(expected: string | RegExp): R;
    /** A text contains a text, a list an element. */
    toContain<E>(part: E): R;
    /** A list contains an element that is deeply equal. */
    toContainEqual<E>(part: E): R;
    toHaveLength(length: number): R;
    toHaveProperty<E>(path: string | readonly (string | number)[], value?: E): R;
    toThrow(expected?: string | RegExp | object | Constructable): R;
    toThrowError(expected?: string | RegExp | object | Constructable): R;
    toSatisfy(predicate: (value: T) => unknown, message?: string): R;
    /** A model judges whether the value, or the answer of a run, satisfies this. Must be awaited. */
    toSatisfy(criterion: string, options: JudgeOptions): Promise<void>;
  }

  interface SnapshotMatchers<R> {
    /** Equals the snapshot in the test's file in `__snapshots__`; a new one is written there. */
    toMatchSnapshot(hint?: string): R;
    toMatchSnapshot(properties: object, hint?: string): R;
    /** Equals the given snapshot, which is compared, never written. */
    toMatchInlineSnapshot(snapshot?: string, hint?: string): R;
    toMatchInlineSnapshot(properties: object, snapshot?: string, hint?: string): R;
    toThrowErrorMatchingSnapshot(hint?: string): R;
    toThrowErrorMatchingInlineSnapshot(snapshot?: string, hint?: string): R;
    /** Equals the contents of a separate file; its path is relative to the test file. Must be awaited. */
    toMatchFileSnapshot(path: string, hint?: string): Promise<void>;
  }

  /** Run matchers exist only for runs. */
  type RunMatchersOf<T, R> = unknown extends T ? RunMatchers<R> : [T] extends [SomeRun] ? RunMatchers<R> : {};

  interface RunMatchers<R> {
    /** Some call of the run, agents included, has an input that contains this. */
    toHaveCalledTool(name: string, args?: unknown): R;
    /** The calls of the prompt itself are these, in this order. */
    toHaveCalledTools(calls: readonly (string | readonly [name: string, args?: unknown])[]): R;
    /** The system prompt of some step, or of the given one (from 0), contains this text. */
    toHaveSystem(text: string | RegExp, options?: { step?: number }): R;
    /** The run cost at most this, in US dollars. Fails when a price is not known. */
    toCost(limit: { max: number }): R;
    /**
     * Over the whole run, requests repeat at least this share of the ones before them, from 0 to 1: what a provider's prompt cache
     * could read. Judged by the text, with mocks too; 1 when nothing that was sent has changed.
     */
    toReuse(limit: { min: number }): R;
  }

  interface MockMatchers<T, R> {
    toHaveBeenCalled(): R;
    toHaveBeenCalledOnce(): R;
    toHaveBeenCalledTimes(times: number): R;
    toHaveBeenCalledWith(...args: any[]): R;
    toHaveBeenLastCalledWith(...args: any[]): R;
    toHaveBeenNthCalledWith(call: number, ...args: any[]): R;
    toHaveBeenCalledExactlyOnceWith(...args: any[]): R;
    toHaveBeenCalledBefore(mock: MockInstance, failIfNoFirstInvocation?: boolean): R;
    toHaveBeenCalledAfter(mock: MockInstance, failIfNoFirstInvocation?: boolean): R;
    toHaveReturned(): R;
    toHaveReturnedTimes(times: number): R;
    toHaveReturnedWith<E>(value: E): R;
    toHaveLastReturnedWith<E>(value: E): R;
    toHaveNthReturnedWith<E>(call: number, value: E): R;
    toHaveResolved(): R;
    toHaveResolvedTimes(times: number): R;
    toHaveResolvedWith<E>(value: E): R;
    toHaveLastResolvedWith<E>(value: E): R;
    toHaveNthResolvedWith<E>(call: number, value: E): R;
  }

  /** The style of chai: `expect(value).to.equal(1)`. */
  interface ChaiAssertion<T, R> extends Record<ChaiChain, Assertion<T, R>>, Record<ChaiProperty, R & ChaiAnd<T, R>> {
    a(type: string): R & ChaiAnd<T, R>;
    an(type: string): R & ChaiAnd<T, R>;
    equal(value: any): R & ChaiAnd<T, R>;
    equals(value: any): R & ChaiAnd<T, R>;
    eq(value: any): R & ChaiAnd<T, R>;
    eql(value: any): R & ChaiAnd<T, R>;
    include(value: any): R & ChaiAnd<T, R>;
    includes(value: any): R & ChaiAnd<T, R>;
    contain(value: any): R & ChaiAnd<T, R>;
    contains(value: any): R & ChaiAnd<T, R>;
    above(value: number | Date): R & ChaiAnd<T, R>;
    least(value: number | Date): R & ChaiAnd<T, R>;
    below(value: number | Date): R & ChaiAnd<T, R>;
    most(value: number | Date): R & ChaiAnd<T, R>;
    within(start: number | Date, end: number | Date): R & ChaiAnd<T, R>;
    closeTo(value: number, delta: number): R & ChaiAnd<T, R>;
    instanceof(constructor: unknown): R & ChaiAnd<T, R>;
    instanceOf(constructor: unknown): R & ChaiAnd<T, R>;
    property(name: PropertyKey, value?: any): R & ChaiAnd<T, R>;
    ownProperty(name: PropertyKey, value?: any): R & ChaiAnd<T, R>;
    lengthOf(length: number): R & ChaiAnd<T, R>;
    length(length: number): R & ChaiAnd<T, R>;
    match(pattern: RegExp): R & ChaiAnd<T, R>;
    string(text: string): R & ChaiAnd<T, R>;
    keys(...names: any[]): R & ChaiAnd<T, R>;
    members(list: readonly any[]): R & ChaiAnd<T, R>;
    oneOf(list: readonly any[]): R & ChaiAnd<T, R>;
    satisfy(predicate: Procedure): R & ChaiAnd<T, R>;
    throw(expected?: any, message?: string | RegExp): R & ChaiAnd<T, R>;
    throws(expected?: any, message?: string | RegExp): R & ChaiAnd<T, R>;
    respondTo(method: string): R & ChaiAnd<T, R>;
    calledWith(...args: any[]): R & ChaiAnd<T, R>;
    calledOnceWith(...args: any[]): R & ChaiAnd<T, R>;
    callCount(count: number): R & ChaiAnd<T, R>;
    returned(value: any): R & ChaiAnd<T, R>;
  }
  type ChaiChain = 'to' | 'be' | 'been' | 'is' | 'and' | 'has' | 'have' | 'with' | 'that' | 'which' | 'at' | 'of' | 'same' | 'but' | 'does' | 'still' | 'also' | 'deep' | 'nested' | 'own' | 'ordered' | 'any' | 'all';
  type ChaiProperty = 'ok' | 'true' | 'false' | 'null' | 'undefined' | 'NaN' | 'exist' | 'exists' | 'empty' | 'extensible' | 'sealed' | 'frozen' | 'finite' | 'called' | 'calledOnce' | 'calledTwice' | 'calledThrice';
  type ChaiAnd<T, R> = { readonly and: Assertion<T, R>; readonly with: Assertion<T, R>; readonly that: Assertion<T, R> };

  /** A custom matcher. */
  export type MatcherFunction = (this: MatcherState, received: any, ...expected: any[]) => MatcherResult | Promise<MatcherResult>;

  export interface MatcherResult {
    pass: boolean;
    message: () => string;
    /** With both, the failure shows the difference. */
    actual?: unknown;
    expected?: unknown;
  }

  /** `this` of a matcher. */
  export interface MatcherState {
    readonly isNot: boolean;
    readonly promise: string;
    readonly currentTestName?: string;
    readonly testPath?: string;
    readonly assertionCalls: number;
    readonly customTesters: EqualityTester[];
    readonly equals: (one: unknown, other: unknown, testers?: readonly EqualityTester[], strict?: boolean) => boolean;
    readonly utils: {
      diff(expected: any, received: any, options?: object): string | undefined;
      stringify(value: unknown, maxDepth?: number, options?: object): string;
      matcherHint(name: string, received?: string, expected?: string, options?: object): string;
      printReceived(value: unknown): string;
      printExpected(value: unknown): string;
      printWithType<T>(name: string, value: T, print: (value: T) => string): string;
      readonly iterableEquality: EqualityTester;
      readonly subsetEquality: EqualityTester;
      readonly [name: string]: any;
    };
    readonly [name: string]: any;
  }

  /** Tests whether two values are equal; `undefined` leaves it to the other testers. */
  export type EqualityTester = (this: any, one: any, other: any, testers: any) => boolean | undefined;

  export type SnapshotSerializer =
    | { test(value: any): boolean; serialize(value: any, config: any, indentation: string, depth: number, refs: any, printer: Procedure): string }
    | { test(value: any): boolean; print(value: any, print: (value: unknown) => string, indent: (text: string) => string, options: any, colors: any): string };

  // ----------------------------------------------------------------------------------------------------- mocks

  /** A function that records its calls, with a given implementation or none. */
  export function fn<F extends Procedure | Constructable = Procedure>(implementation?: F): Mock<F>;

  type ArgsOf<F> = F extends new (...args: infer Args) => any ? Args : F extends (...args: infer Args) => any ? Args : never;
  type ReturnOf<F> = F extends new (...args: any[]) => infer Made ? Made : F extends (...args: any[]) => infer Returned ? Returned : never;
  type PlainOf<F> = F extends new (...args: infer Args) => infer Made ? ((...args: Args) => Made) | (new (...args: Args) => Made) : F extends Procedure ? (...args: Parameters<F>) => ReturnType<F> : never;

  export interface Mock<F extends Procedure | Constructable = Procedure> extends MockInstance<F> {
    new (...args: ArgsOf<F>): F extends Constructable ? InstanceType<F> : any;
    (...args: ArgsOf<F>): ReturnOf<F>;
  }

  export interface MockInstance<F extends Procedure | Constructable = Procedure> {
    readonly mock: {
      calls: ArgsOf<F>[];
      readonly lastCall: ArgsOf<F> | undefined;
      results: { type: 'return' | 'throw' | 'incomplete'; value: any }[];
      settledResults: { type: 'fulfilled' | 'rejected' | 'incomplete'; value: any }[];
      contexts: any[];
      instances: any[];
      invocationCallOrder: number[];
    };
    getMockName(): string;
    mockName(name: string): this;
    /** Clears the recorded calls. */
    mockClear(): this;
    /** Clears the recorded calls and the implementation. */
    mockReset(): this;
    /** The same; for `vi.spyOn` also restores the original. */
    mockRestore(): void;
    getMockImplementation(): PlainOf<F> | undefined;
    mockImplementation(implementation: PlainOf<F>): this;
    mockImplementationOnce(implementation: PlainOf<F>): this;
    withImplementation(implementation: PlainOf<F>, callback: () => Promise<unknown>): Promise<this>;
    withImplementation(implementation: PlainOf<F>, callback: () => unknown): this;
    mockReturnThis(): this;
    mockReturnValue(value: ReturnOf<F>): this;
    mockReturnValueOnce(value: ReturnOf<F>): this;
    mockThrow(error: unknown): this;
    mockThrowOnce(error: unknown): this;
    mockResolvedValue(value: Awaited<ReturnOf<F>>): this;
    mockResolvedValueOnce(value: Awaited<ReturnOf<F>>): this;
    mockRejectedValue(error: unknown): this;
    mockRejectedValueOnce(error: unknown): this;
  }

  /** An object whose functions have the types of mocks. */
  export type Mocked<T> = T & { [Name in keyof T]: T[Name] extends Procedure ? MockInstance<T[Name]> : T[Name] };

  type FunctionNames<T> = { [Name in keyof T]: T[Name] extends Procedure | Constructable ? Name : never }[keyof T] & keyof T;

  /** Mocks, stubs and timers. Unsupported functions of Vitest's `vi`, such as `vi.mock`, throw an error that names an alternative. */
  export const vi: Vi;

  export interface Vi {
    fn: typeof fn;
    /** Replaces a function of an object by a mock that calls it. */
    spyOn<T extends object, Name extends FunctionNames<Required<T>>>(object: T, name: Name): Mock<Required<T>[Name] extends Procedure | Constructable ? Required<T>[Name] : never>;
    spyOn<T extends object, Name extends keyof T>(object: T, name: Name, access: 'get'): Mock<() => T[Name]>;
    spyOn<T extends object, Name extends keyof T>(object: T, name: Name, access: 'set'): Mock<(value: T[Name]) => void>;
    isMockFunction(value: any): value is Mock;
    /** The same, for the types. */
    mocked<F extends Procedure>(item: F, options?: object | boolean): F & MockInstance<F>;
    mocked<T>(item: T, options?: object | boolean): Mocked<T>;
    clearAllMocks(): Vi;
    resetAllMocks(): Vi;
    restoreAllMocks(): Vi;
    /** Sets an environment variable; `undefined` removes it. */
    stubEnv(name: string, value: string | boolean | undefined): Vi;
    unstubAllEnvs(): Vi;
    stubGlobal(name: string | symbol | number, value: unknown): Vi;
    unstubAllGlobals(): Vi;
    /** Calls repeatedly until it does not throw. */
    waitFor<T>(callback: () => T | Promise<T>, options?: number | WaitOptions): Promise<T>;
    /** Calls repeatedly until it returns a truthy value. */
    waitUntil<T>(callback: () => T | Promise<T>, options?: number | WaitOptions): Promise<NonNullable<T>>;
    hoisted<T>(factory: () => T): T;
    defineHelper<F extends Procedure>(helper: F): F;
    useFakeTimers(options?: FakeTimerOptions): Vi;
    useRealTimers(): Vi;
    isFakeTimers(): boolean;
    setSystemTime(time: number | string | Date): Vi;
    getMockedSystemTime(): Date | null;
    getRealSystemTime(): number;
    getTimerCount(): number;
    runAllTimers(): Vi;
    runAllTimersAsync(): Promise<Vi>;
    runOnlyPendingTimers(): Vi;
    runOnlyPendingTimersAsync(): Promise<Vi>;
    runAllTicks(): Vi;
    advanceTimersByTime(milliseconds: number): Vi;
    advanceTimersByTimeAsync(milliseconds: number): Promise<Vi>;
    advanceTimersToNextTimer(steps?: number): Vi;
    advanceTimersToNextTimerAsync(steps?: number): Promise<Vi>;
    advanceTimersToNextFrame(): Vi;
    clearAllTimers(): Vi;
    setTimerTickMode(mode: 'manual' | 'nextTimerAsync'): Vi;
    setTimerTickMode(mode: 'interval', milliseconds?: number): Vi;
  }

  /** The same. */
  export const vitest: Vi;

  export interface WaitOptions {
    /** Milliseconds between two calls; 50 unless set. */
    interval?: number;
    /** Time limit in milliseconds; 1000 unless set. */
    timeout?: number;
    /** Prefix of the error message. */
    message?: string;
  }

  export interface FakeTimerOptions {
    /** The initial time. */
    now?: number | Date;
    toFake?: readonly string[];
    toNotFake?: readonly string[];
    loopLimit?: number;
    shouldAdvanceTime?: boolean;
    advanceTimeDelta?: number;
    shouldClearNativeTimers?: boolean;
  }

  // ---------------------------------------------------------------------------------------------- others

  /** chai's interface `assert`: `assert.deepEqual(one, other)`. */
  export const assert: Assert;

  export interface Assert {
    (value: unknown, message?: string): asserts value;
    readonly [name: string]: any;
  }

  /** chai itself, for its plugins. */
  export const chai: { readonly assert: Assert; use(plugin: Procedure): any; readonly [name: string]: any };

  /** Checks a value against a type, for `lmthing check` and editors; does nothing when the test runs. */
  export function assertType<T>(value: T): void;

  /** Asserts the type of a value, for `lmthing check` and editors; does nothing when the test runs. */
  export function expectTypeOf<T>(value?: T): TypeExpectation<T>;

  type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
  type If<Condition extends boolean, Holds extends boolean> = Condition extends Holds ? [] : [mismatch: never];

  export interface TypeExpectation<T, Holds extends boolean = true> {
    readonly not: TypeExpectation<T, false>;
    toEqualTypeOf<Expected>(...mismatch: If<Same<T, Expected>, Holds>): void;
    toEqualTypeOf<Expected>(expected: Expected, ...mismatch: If<Same<T, Expected>, Holds>): void;
    toExtend<Expected>(...mismatch: If<[T] extends [Expected] ? true : false, Holds>): void;
    toMatchTypeOf<Expected>(...mismatch: If<[T] extends [Expected] ? true : false, Holds>): void;
    toHaveProperty<Name extends PropertyKey>(name: Name, ...mismatch: If<Name extends keyof T ? true : false, Holds>): void;
    toBeString(...mismatch: If<[T] extends [string] ? true : false, Holds>): void;
    toBeNumber(...mismatch: If<[T] extends [number] ? true : false, Holds>): void;
    toBeBoolean(...mismatch: If<[T] extends [boolean] ? true : false, Holds>): void;
    toBeUndefined(...mismatch: If<[T] extends [undefined] ? true : false, Holds>): void;
    toBeNull(...mismatch: If<[T] extends [null] ? true : false, Holds>): void;
    toBeArray(...mismatch: If<[T] extends [readonly any[]] ? true : false, Holds>): void;
    toBeFunction(...mismatch: If<[T] extends [Procedure] ? true : false, Holds>): void;
    readonly returns: TypeExpectation<T extends (...args: any[]) => infer R ? R : never, Holds>;
    readonly parameters: TypeExpectation<T extends (...args: infer Args) => any ? Args : never, Holds>;
    parameter<Index extends number>(index: Index): TypeExpectation<T extends (...args: infer Args) => any ? Args[Index] : never, Holds>;
    readonly resolves: TypeExpectation<T extends PromiseLike<infer R> ? R : never, Holds>;
    readonly items: TypeExpectation<T extends readonly (infer Item)[] ? Item : never, Holds>;
  }

  /** Not supported: throws an error. @deprecated use `beforeAll` and `afterAll` */
  export function aroundAll(...args: unknown[]): never;
  /** Not supported: throws an error. @deprecated use `beforeEach` and `afterEach` */
  export function aroundEach(...args: unknown[]): never;

  /** Everything this module exports. */
  const everything: Omit<typeof import('lmthing/test'), 'default'>;
  export default everything;
}
