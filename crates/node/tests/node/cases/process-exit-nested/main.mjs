// process.exit inside of an exit listener ends at once, with its code.
process.exitCode = 2;
process.on('exit', (code) => {
  console.log('first', code);
  process.exit(9);
});
process.on('exit', () => console.log('never'));
for (const wrong of ['x', 1.5, {}, true, '']) {
  try {
    process.exitCode = wrong;
    console.log('accepted', wrong);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
process.exitCode = '4';
console.log(process.exitCode);
setTimeout(() => {
  try {
    process.exit();
  } catch {
    console.log('never');
  } finally {
    console.log('never');
  }
}, 1);
