// Streams, blobs and cloning.
import { equal, failure, failures, ok, test } from './check.mjs';

const read = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

test('a source is pulled only as far as somebody reads', async () => {
  let pulled = 0;
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(pulled++);
    },
  });
  const reader = stream.getReader();
  equal([(await reader.read()).value, (await reader.read()).value], [0, 1]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  equal(pulled, 3);
});

test('pipes, transforms and tees', async () => {
  const source = () => new ReadableStream({
    start(controller) {
      for (const part of ['a', 'b']) controller.enqueue(part);
      controller.close();
    },
  });
  const upper = new TransformStream({
    transform(part, controller) {
      controller.enqueue(part.toUpperCase());
    },
  });
  equal(await read(source().pipeThrough(upper)), ['A', 'B']);
  const [one, two] = source().tee();
  equal([await read(one), await read(two)], [['a', 'b'], ['a', 'b']]);
  const written = [];
  await source().pipeTo(new WritableStream({ write: (part) => void written.push(part) }));
  equal(written, ['a', 'b']);
  equal(new CountQueuingStrategy({ highWaterMark: 3 }).size('x'), 1);
});

test('text streams keep characters whole', async () => {
  const bytes = new TextEncoder().encode('a€😀');
  const stream = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  equal((await read(stream.pipeThrough(new TextDecoderStream()))).join(''), 'a€😀');
  const halves = new ReadableStream({
    start(controller) {
      for (const half of '😀'.split('')) controller.enqueue(half);
      controller.close();
    },
  });
  const encoded = await read(halves.pipeThrough(new TextEncoderStream()));
  equal(encoded.flatMap((part) => [...part]), [240, 159, 152, 128]);
});

test('a response is made of any body', async () => {
  equal(await new Response(new Blob(['x', new Uint8Array([121])])).text(), 'xy');
  equal(await new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"a":1}'));
      controller.close();
    },
  })).json(), { a: 1 });
  const response = Response.json({ b: 2 }, { status: 201 });
  equal([response.status, response.headers.get('content-type'), await response.text()], [201, 'application/json', '{"b":2}']);
  const body = new Response('text').body;
  ok(body instanceof ReadableStream);
  equal(new TextDecoder().decode((await read(body))[0]), 'text');
});

test('a locked body cannot be read', async () => {
  const response = new Response('x');
  response.body.getReader();
  ok((await failure(() => response.text())) instanceof TypeError);
});

test('structuredClone keeps cycles, types and identity', () => {
  const shared = { s: 1 };
  const source = { date: new Date(5), map: new Map([[shared, new Set([1])]]), list: [shared, , 2], regex: /a/gi, big: 1n, shared };
  source.self = source;
  const copy = structuredClone(source);
  ok(copy.self === copy && copy !== source);
  ok(copy.list[0] === copy.shared && copy.shared !== shared && [...copy.map.keys()][0] === copy.shared);
  ok(!(1 in copy.list) && copy.list.length === 3);
  equal([copy.date.getTime(), copy.regex.flags, copy.big], [5, 'gi', 1n]);
});

test('structuredClone of bytes, errors and what cannot be cloned', async () => {
  const view = new Uint16Array([1, 2, 3]).subarray(1);
  const copy = structuredClone({ view, again: view.buffer });
  equal([[...copy.view], copy.view.byteOffset, copy.view.buffer === copy.again], [[2, 3], 2, true]);
  const error = structuredClone(new RangeError('r', { cause: 'c' }));
  ok(error instanceof RangeError);
  equal([error.message, error.cause, error.name], ['r', 'c', 'RangeError']);
  for (const value of [() => 1, Symbol('s'), new WeakMap(), Promise.resolve()]) {
    equal((await failure(() => structuredClone({ value }))).name, 'DataCloneError');
  }
  const buffer = new ArrayBuffer(4);
  const moved = structuredClone({ buffer, view: new Uint8Array(buffer, 1, 2) }, { transfer: [buffer] });
  equal([buffer.byteLength, moved.buffer.byteLength, moved.view.length, moved.view.byteOffset], [0, 4, 2, 1]);
  class Point {
    x = 1;
    get y() {
      return 2;
    }
  }
  equal(Object.getPrototypeOf(structuredClone(new Point())), Object.prototype);
});

test('blobs', async () => {
  const blob = new Blob(['héllo', ' ', new Blob(['world'])], { type: 'Text/Plain' });
  equal([blob.size, blob.type, await blob.text()], [12, 'text/plain', 'héllo world']);
  equal(await blob.slice(-5, undefined, 'x/y').text(), 'world');
  equal(await new Response(blob.stream()).text(), 'héllo world');
});

export default await failures();
