// Modules of Node that lmthing has in name only: packages import them and may never use them.
import { notOffered } from './errors.js';

/** Functions and classes of `module` that say so when they are used. */
export const refused = (module, names, instead) => Object.fromEntries(names.map((name) => [name, notOffered(`${module}.${name}`, instead)]));
