// `node:stream/consumers`: reads a whole stream, of Node or the web.
import { Buffer } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

async function chunks(stream) {
  const list = [];
  for await (const chunk of stream) list.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return list;
}

export async function buffer(stream) {
  return Buffer.concat((await chunks(stream)).map((chunk) => (chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk)));
}

export async function arrayBuffer(stream) {
  const { buffer: bytes, byteOffset, byteLength } = await buffer(stream);
  return bytes.slice(byteOffset, byteOffset + byteLength);
}

export async function blob(stream) {
  return new Blob(await chunks(stream));
}

export async function text(stream) {
  const decoder = new StringDecoder('utf8');
  let all = '';
  for await (const chunk of stream) all += typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk.buffer ?? chunk, chunk.byteOffset, chunk.byteLength));
  return all + decoder.end();
}

export async function json(stream) {
  return JSON.parse(await text(stream));
}

export default { arrayBuffer, blob, buffer, json, text };
