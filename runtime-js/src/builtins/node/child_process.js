import { sortArguments } from '../child_process/arguments.js';
import { ChildProcess, start } from '../child_process/child.js';
import { exec, execFile } from '../child_process/exec.js';
import { execFileSync, execSync, spawnSync } from '../child_process/sync.js';
import { notOffered } from '../shared/errors.js';

function spawn(file, args, options) {
  return start(sortArguments(file, args, options));
}

const fork = notOffered('child_process.fork', 'use spawn, and talk over the pipes of stdin and stdout');

export { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
export default { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
