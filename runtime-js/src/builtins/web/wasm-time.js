// Measures how long modules run, for the warning that they are slow.
import { begin, end } from 'lmthing:internal/native/wasm';

let depth = 0;

/** Runs code of a module that was loaded by `origin`; calls may be nested. */
export function timed(origin, run) {
  if (depth === 0) begin(origin);
  depth += 1;
  try {
    return run();
  } finally {
    depth -= 1;
    if (depth === 0) end();
  }
}

/** The package, or else the file, that called: from the stack of an error that was made here. */
export function callingPackage({ stack }) {
  const [, name] = /node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(stack) ?? /([^\s(/\\]+\.[cm]?[jt]s):\d/.exec(stack) ?? [];
  return name ?? 'this program';
}
