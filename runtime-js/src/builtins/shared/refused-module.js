// Modules of Node that are importable but not supported: packages may import them without using them.
import { notOffered } from './errors.js';

/** Functions and classes of `module` that throw when used. */
export const refused = (module, names, instead) => Object.fromEntries(names.map((name) => [name, notOffered(`${module}.${name}`, instead)]));
