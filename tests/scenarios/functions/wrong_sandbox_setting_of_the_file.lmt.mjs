// A wrong setting in the file's own config.sandbox ends the run with exit code 1 before a request.

import { z } from 'zod';

export const config = { model: 'mock', sandbox: { memoryBytes: 5 } };
export const mock = [{ type: 'text', text: 'asked' }];

export default ({ defFunction, $ }) => {
  defFunction('one', 'One', z.object({}), () => 1);
  $`go`;
};
