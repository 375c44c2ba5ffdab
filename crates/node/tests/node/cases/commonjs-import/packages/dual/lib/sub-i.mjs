import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); export default ['sub', require('dual'), require('dual/sub')];
