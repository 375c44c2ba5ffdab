// Replaces `@vitest/spy` where no mocks are made.
export const isMockFunction = (value) => typeof value === 'function' && value._isMockFunction === true;
