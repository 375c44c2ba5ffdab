// Stands in for `@vitest/spy` where nothing is made a mock.
export const isMockFunction = (value) => typeof value === 'function' && value._isMockFunction === true;
