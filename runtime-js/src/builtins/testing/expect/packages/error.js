// Replaces `@vitest/utils/error`, which serializes errors for another process; not needed here.
export const processError = (error) => error;
