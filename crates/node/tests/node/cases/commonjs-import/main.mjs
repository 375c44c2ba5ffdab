// What `import` finds in CommonJS files.
import whole, { a, b, c } from './lib/named.cjs';
import * as compiled from './lib/compiled.cjs';
import * as assigned from './lib/assigned.cjs';
import callable from './lib/function.cjs';
import * as primitive from './lib/primitive.cjs';
import dual from 'dual';
import old, { name as oldName } from 'old';
import * as again from 'reexports';
import sub from 'dual/sub';
import './lib/order.cjs';
import { order } from './lib/order.mjs';

const show = (name, value) => console.log(name, JSON.stringify(value));
show('named', [a, b, c(), Object.keys(whole)]);
show('compiled', [Object.keys(compiled), compiled.default.default, compiled.value]);
show('assigned', [Object.keys(assigned), assigned.x, assigned.missing]);
show('function', [typeof callable, callable(2), callable.extra]);
show('primitive', [Object.keys(primitive), primitive.default]);
show('dual', [dual, sub]);
show('old', [old.name, oldName]);
show('again', Object.keys(again).sort());
show('order', order);
const late = await import('./lib/late.cjs');
show('late', [late.default === (await import('./lib/late.cjs')).default, late.answer]);
show('broken', await import('./lib/broken.cjs').catch((error) => [error.name, error.message]));
show('broken again', await import('./lib/broken.cjs').catch((error) => [error.name, error.message]));
