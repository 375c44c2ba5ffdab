// `node:tty`: which descriptors are terminals, and the classes of the standard streams that are.
import { isTerminal } from 'lmthing:internal/native/stdin';
import { ReadStream } from 'lmthing:internal/stdin';
import { WriteStream } from 'lmthing:internal/output-stream';

export function isatty(fd) {
  return Number.isInteger(fd) && isTerminal(fd);
}

export { ReadStream, WriteStream };
export default { isatty, ReadStream, WriteStream };
