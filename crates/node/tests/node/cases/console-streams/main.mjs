// Consoles on streams of their own.
import { Console } from 'node:console';
import { Writable } from 'node:stream';

const collect = () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      stream.text = (stream.text ?? '') + chunk;
      done();
    },
  });
  return stream;
};
const [stdout, stderr] = [collect(), collect()];
const own = new Console({ stdout, stderr, groupIndentation: 4 });
own.log('%s is %d', 'x', 5, { a: [1] });
own.group('group');
own.info('inside\ntwo lines');
own.groupEnd();
own.table([{ a: 1 }, { a: 2 }]);
own.count();
own.count();
own.countReset();
own.count();
own.dir({ a: { b: { c: {} } } }, { depth: 0 });
own.assert(1 > 2, 'no');
own.error(new Error('shown').message);
const { warn } = own;
warn('detached');
console.log(stdout.text);
console.log(stderr.text);
const colored = collect();
new Console({ stdout: colored, colorMode: true }).log({ n: 1 });
console.log(JSON.stringify(colored.text));
try {
  new Console({});
} catch (error) {
  console.log(error.code, error.message);
}
console.log(own instanceof Console, typeof console.Console, Object.keys(new console.Console(stdout)).includes('log'));
