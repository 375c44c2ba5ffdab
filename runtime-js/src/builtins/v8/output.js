// A growing byte buffer.

export class Output {
  #memory = new Uint8Array(256);
  length = 0;

  #grow(count) {
    const wanted = this.length + count;
    if (wanted <= this.#memory.length) return;
    const memory = new Uint8Array(Math.max(wanted, this.#memory.length * 2));
    memory.set(this.#memory.subarray(0, this.length));
    this.#memory = memory;
  }

  push(...bytes) {
    this.#grow(bytes.length);
    for (const byte of bytes) this.#memory[this.length++] = byte;
  }

  append(bytes) {
    this.#grow(bytes.length);
    this.#memory.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Returns everything written and clears the buffer. */
  take() {
    const bytes = this.#memory.subarray(0, this.length);
    this.#memory = new Uint8Array(256);
    this.length = 0;
    return bytes;
  }
}
