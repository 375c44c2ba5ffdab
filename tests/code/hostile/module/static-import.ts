// about: import at the top
// expect: refused

import { readFileSync } from 'fs';
return readFileSync('/etc/passwd');
