// `node:constants`: those of `fs` and `os` in one, for old packages.
import { constants as fs } from 'node:fs';
import { constants as os } from 'node:os';

export default { ...os.errno, ...os.priority, ...os.signals, ...fs };
