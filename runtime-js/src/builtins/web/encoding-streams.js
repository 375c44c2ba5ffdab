import { TextDecoder, TextEncoder } from 'lmthing:internal/web/encoding';
import { TransformStream } from 'lmthing:internal/web/streams';
import { brand } from '../shared/brand.js';

export class TextEncoderStream {
  #transform;

  constructor() {
    const encoder = new TextEncoder();
    let lead = ''; // the first half of a surrogate pair that was cut
    this.#transform = new TransformStream({
      transform(chunk, controller) {
        let text = lead + chunk;
        lead = /[\ud800-\udbff]$/.test(text) ? text.at(-1) : '';
        text = text.slice(0, text.length - lead.length);
        if (text !== '') controller.enqueue(encoder.encode(text));
      },
      flush(controller) {
        if (lead !== '') controller.enqueue(encoder.encode(lead));
      },
    });
  }

  get encoding() {
    return 'utf-8';
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
brand(TextEncoderStream, 'TextEncoderStream');

export class TextDecoderStream {
  #decoder;
  #transform;

  constructor(label = 'utf-8', options = {}) {
    const decoder = (this.#decoder = new TextDecoder(label, options));
    this.#transform = new TransformStream({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== '') controller.enqueue(text);
      },
    });
  }

  get encoding() {
    return this.#decoder.encoding;
  }

  get fatal() {
    return this.#decoder.fatal;
  }

  get ignoreBOM() {
    return this.#decoder.ignoreBOM;
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
brand(TextDecoderStream, 'TextDecoderStream');
