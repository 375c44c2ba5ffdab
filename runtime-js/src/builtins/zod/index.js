// The npm package zod, bundled whole; zod/lazy.mjs splits it into lazily loaded parts.
import { config } from 'zod';

// zod otherwise generates a parse function for every object schema at its first use. A schema in a prompt function is
// made again before every step and used once or twice, and QuickJS has no JIT that would make up for it.
config({ jitless: true });

export * from 'zod';
export { default } from 'zod';
