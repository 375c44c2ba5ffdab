// `finished` and the states of web streams.
import stream, { finished } from 'node:stream';
import * as promises from 'node:stream/promises';

const show = (name, ...values) => console.log(name, ...values);
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const stages = (web) => ['isDisturbed', 'isErrored', 'isReadable', 'isWritable'].map((name) => stream[name]?.(web));

const read = new ReadableStream({
  start(controller) {
    controller.enqueue('a');
    controller.close();
  },
});
finished(read, (error) => show('read', error));
show('before', stages(read));
for await (const chunk of read) show('chunk', chunk);
await settled();
show('after', stages(read));

const written = new WritableStream({});
const whole = promises.finished(written).then(() => show('written'));
const writer = written.getWriter();
show('writable', stages(written));
await writer.write('x');
await writer.close();
await whole;
show('closed', stages(written));

const failed = new ReadableStream({ start: (controller) => controller.error(new Error('early')) });
finished(failed, (error) => show('failed', error.message));
await settled();
show('errored', stages(failed));
const late = new ReadableStream({ start: (controller) => setTimeout(() => controller.error(new Error('late')), 1) });
await promises.finished(late).catch((error) => show('rejected', error.message));
const refused = new WritableStream({ write: () => Promise.reject(new Error('refused')) });
const refusal = promises.finished(refused).catch((error) => show('not written', error.message));
await refused.getWriter().write('x').catch(() => {});
await refusal;

const cancelled = new ReadableStream({});
finished(cancelled, (error) => show('cancelled', error));
await cancelled.cancel('enough');
await settled();
const controller = new AbortController();
finished(new ReadableStream({}), { signal: controller.signal }, (error) => show('aborted', error.name));
controller.abort();
await settled();
for (const other of [new TransformStream(), {}]) {
  try {
    finished(other, () => {});
  } catch (error) {
    show('no stream', error.code);
  }
}
