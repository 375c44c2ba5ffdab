import * as z from 'zod/v4';
export { z };
