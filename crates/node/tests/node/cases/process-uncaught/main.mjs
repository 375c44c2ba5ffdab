// An uncaught exception: exit listeners run, the code is 1.
process.on('exit', (code) => console.log('exit', code, process.exitCode));
process.on('beforeExit', () => console.log('never'));
setTimeout(() => console.log('never'), 20);
setTimeout(() => {
  console.log('throwing');
  throw new Error('nobody catches this');
}, 1);
