// Parses `.env` files by the rules of Node's `process.loadEnvFile` and `util.parseEnv`.

const LINE = /^[ \t]*(?:export[ \t]+)?([^=\s#][^=\n]*?)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"|'([^']*)'|`([^`]*)`|([^\n]*))/gm;

/** Only double quotes interpret `\n`; unquoted values end at a `#`. */
export function parseEnvironment(text) {
  const variables = {};
  for (const [, name, double, single, back, plain] of text.replaceAll('\r\n', '\n').matchAll(LINE)) {
    variables[name] = double?.replaceAll('\\n', '\n') ?? single ?? back ?? plain.replace(/#.*$/, '').trim();
  }
  return variables;
}
