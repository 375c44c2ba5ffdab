// `node:tty`: `isatty` and the classes of terminal streams.
import { stderrIsTerminal, stdoutIsTerminal } from 'lmthing:internal/native/console';
import { stdinIsTerminal } from 'lmthing:internal/native/stdin';
import { ReadStream } from 'lmthing:internal/stdin';
import { WriteStream } from 'lmthing:internal/output-stream';

export function isatty(fd) {
  return [stdinIsTerminal(), stdoutIsTerminal, stderrIsTerminal][fd] ?? false;
}

export { ReadStream, WriteStream };
export default { isatty, ReadStream, WriteStream };
