// about: take frames out of an error
// expect: contained

const found: string[] = [];
const look = (name: string, make: () => any): void => {
  try {
    const value: unknown = make();
    if (value !== undefined && value !== null && value !== '') found.push('BRE' + 'ACH ' + name);
  } catch {
    // refused
  }
};
const E: any = Error;
E.prepareStackTrace = (_: unknown, frames: any[]) => frames;
E.stackTraceLimit = Infinity;
const frames: any = new E('x').stack;
if (Array.isArray(frames)) {
  frames.forEach((frame, index) => {
    for (const method of ['getFunction', 'getThis', 'getEvalOrigin']) {
      look(method + index, () => {
        const value = frame[method]?.();
        return typeof value === 'function' || (value && typeof value === 'object') ? value.constructor('return 1')() : '';
      });
    }
  });
}
return found.length === 0 ? 'nothing' : found.join();
