import * as ns from 'zod';
export { z, z as named, string } from 'zod';
export { ns };
