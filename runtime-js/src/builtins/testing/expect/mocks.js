// Mocks and other members of Vitest's `vi`.
import { clearAllMocks, fn, isMockFunction, resetAllMocks, restoreAllMocks, spyOn } from '@vitest/spy';
import { timerFunctions } from './fake-timers.js';
import { stubs } from './stubs.js';
import { waitFor, waitUntil } from './waiting.js';

/** Error for functions that depend on Vitest's module loader, with an alternative. */
const MODULES =
  'a test gets its modules as they are: replace a function of an object with vi.spyOn, hand in what is to be replaced, or give run() a mock';
const NOT_OFFERED = {
  mock: MODULES,
  unmock: MODULES,
  doMock: MODULES,
  doUnmock: MODULES,
  importActual: MODULES,
  importMock: MODULES,
  mockObject: MODULES,
  resetModules: 'each test file has an engine of its own, and run() loads the prompt file anew each time',
  dynamicImportSettled: 'await the import itself, or vi.waitFor',
  setConfig: 'give a test its timeout as its last argument, or all tests with --timeout',
  resetConfig: 'give a test its timeout as its last argument, or all tests with --timeout',
  when: 'say with mockImplementation what is answered to which arguments',
};

function notOffered([name, instead]) {
  const refuse = () => {
    const error = new Error(`vi.${name} is not offered`);
    Object.defineProperty(error, 'lmthing:hint', { value: instead, configurable: true });
    throw error;
  };
  return [name, refuse];
}

const chained = (functions) =>
  Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, (...args) => (run(...args), vi)]));

export { fn };

export const vi = {
  fn,
  spyOn,
  isMockFunction,
  mocked: (item) => item,
  hoisted: (factory) => factory(),
  defineHelper: (helper) => helper,
  waitFor,
  waitUntil,
};
Object.assign(
  vi,
  chained({ clearAllMocks, resetAllMocks, restoreAllMocks, ...stubs }),
  timerFunctions(vi),
  Object.fromEntries(Object.entries(NOT_OFFERED).map(notOffered)),
);
