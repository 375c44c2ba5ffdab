// about: lie about what was thrown
// expect: contained

class Odd extends Error {
  override get name(): string { throw new Error('no name'); }
  override get message(): string { throw new Error('no message'); }
  override get stack(): string { throw new Error('no stack'); }
  override toString(): string { throw new Error('no text'); }
}
throw new Odd();
