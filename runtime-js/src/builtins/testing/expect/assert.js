// chai as it is on npm, with its interface `assert`; Vitest's matchers have a part of their own.
export * from 'chai/whole';
