import pLimit from 'p-limit';
import Queue from 'yocto-queue';
import { addDays, formatISO } from 'date-fns';
import { marked } from 'marked';
import escapeStringRegexp from 'escape-string-regexp';
import camelCase from 'camelcase';
import { addDays as direct } from 'date-fns/addDays';

const limit = pLimit(1);
const order = [];
await Promise.all([1, 2, 3].map((n) => limit(async () => order.push(n))));
console.log(order);

const queue = new Queue();
queue.enqueue('a');
queue.enqueue('b');
console.log(queue.dequeue(), queue.size, [...queue]);

console.log(formatISO(addDays(new Date(2024, 1, 28), 2), { representation: 'date' }), direct === addDays);
console.log(marked.parse('# Title\n\n- *one*\n- `two`\n').trim());
console.log(escapeStringRegexp('a.b*c'), camelCase('foo-bar_baz'));
