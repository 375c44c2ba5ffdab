// Matchers for the result of `run()`.
export { judge } from './judge.js';
export { toReuse } from './reuse.js';
export { toCost, toHaveSystem } from './system.js';
export { toHaveCalledTool, toHaveCalledTools } from './tools.js';
