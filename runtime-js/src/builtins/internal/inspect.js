// Node's own inspection code (the npm extract of lib/internal/util/inspect), behind `console` and `node:util`.
export { inspect, format, formatWithOptions, stripVTControlCharacters } from 'node-inspect-extracted';
