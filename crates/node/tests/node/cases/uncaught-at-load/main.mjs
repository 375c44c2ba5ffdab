// A module that throws while it is loaded: reported once.
process.on('uncaughtException', (e, o) => {
  console.log('caught', e.message, o);
});
setTimeout(() => {
  console.log('later');
  process.exit();
}, 20);
process.exitCode = 3;
throw new Error('at top');
