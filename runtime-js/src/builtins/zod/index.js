// The real zod, bundled whole: prompt files import it as they would from npm. zod/lazy.mjs takes it apart again.
import { config } from 'zod';

// zod otherwise writes and compiles a function for every object schema at its first use. A schema in a prompt function is
// made again before every step and used once or twice, and this engine has no compiler that would make up for it.
config({ jitless: true });

export * from 'zod';
export { default } from 'zod';
