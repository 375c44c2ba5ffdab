/// <reference path="./types/fallbacks.d.ts" />
import '#node';
import type { Error as RunFailure, Result, RunEvent } from './events.mjs';

export type { Result, RunEvent, RunFailure };

export interface RunOptions {
  /** The input of the file, for its own schema. It is sent as JSON. */
  input?: unknown;
  /** Takes the place of `config.model`: `provider:model` or an alias. */
  model?: string;
  /** How far the run may go; those of the file apply as well. */
  limits?: RunLimits;
  /** Ends the run; what is waited for is rejected with an {@link AbortError}. */
  signal?: AbortSignal;
  /** Called with each event, and waited for. What it throws ends the run, and is thrown. */
  onEvent?: (event: RunEvent) => unknown;
  /** `'inherit'` passes on what the run prints on standard error, such as `console.log` of the file. */
  stderr?: 'ignore' | 'inherit';
  /** The path of the binary, in place of the one that was installed with this package. */
  binary?: string;
}

export interface RunLimits {
  /** Requests to models, agents included. */
  steps?: number;
  /** Tokens of input and output. */
  tokens?: number;
  /** US dollars. */
  cost?: number;
  /** Milliseconds, or text such as `'90s'`. */
  time?: number | string;
}

/** What a run came to: the object of `lmthing run -f json`. */
export type RunResult<Output = unknown> = Omit<Result, 'ok' | 'output' | 'error'> & { ok: true; output?: Output };

/** A run that failed. */
export class RunError extends Error {
  name: 'RunError' | 'AbortError';
  /** The exit code, as in the object of `-f json`; `'ABORT_ERR'` of an {@link AbortError}. */
  readonly code: number | 'ABORT_ERR';
  /**
   * As in the object of `-f json`. Without such an object: `usage` (an option that does not exist), `install` (there is no
   * binary, or it cannot be started) or `crash`.
   */
  readonly kind: RunFailure['kind'] | 'install' | 'crash';
  /** The object of `-f json`, if the run got that far. */
  readonly result: Result | undefined;
}

/** A run that its `signal` ended; `cause` is the reason of the signal. */
export class AbortError extends RunError {
  name: 'AbortError';
  readonly code: 'ABORT_ERR';
  readonly kind: 'aborted';
}

/** Runs a prompt file; resolves to the object of `lmthing run -f json`. Rejects with a {@link RunError} when the run fails. */
export function run<Output = unknown>(file: string | URL, options?: RunOptions): Promise<RunResult<Output>>;

/**
 * Runs a prompt file; iterates over its events. The run begins with the first iteration, and ends with the loop: `break`
 * ends the binary. After the last event a run that failed throws a {@link RunError}.
 */
export function stream(file: string | URL, options?: RunOptions): AsyncGenerator<RunEvent, void, undefined>;
