// Node's own inspection code (lib/internal/util/inspect, from npm), used by `console` and `node:util`.
export { inspect, format, formatWithOptions, stripVTControlCharacters } from 'node-inspect-extracted';
