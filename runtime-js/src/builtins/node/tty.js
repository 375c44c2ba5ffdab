// `node:tty`: whether a standard stream is a terminal, which packages ask before they use colour.
const { process } = globalThis;

export function isatty(fd) {
  const stream = { 1: process.stdout, 2: process.stderr }[fd];
  return stream?.isTTY === true;
}

export default { isatty };
