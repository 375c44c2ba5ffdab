// cjs-module-lexer in plain JavaScript; its main build needs WebAssembly.
export { init, parse } from '../../../node_modules/cjs-module-lexer/lexer.js';
