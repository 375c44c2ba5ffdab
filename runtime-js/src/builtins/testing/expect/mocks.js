// Mocks, and what else Vitest has in `vi`.
import { clearAllMocks, fn, isMockFunction, resetAllMocks, restoreAllMocks, spyOn } from '@vitest/spy';

export { fn };
export const vi = { fn, spyOn, isMockFunction, mocked: (item) => item, clearAllMocks, resetAllMocks, restoreAllMocks };
