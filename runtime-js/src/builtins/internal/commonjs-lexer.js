// cjs-module-lexer in plain JavaScript: its main build is WebAssembly, which there is no engine for.
export { init, parse } from '../../../node_modules/cjs-module-lexer/lexer.js';
