// Scripts in the global scope and in a scope of their own.
import vm from 'node:vm';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const fails = (run) => {
  try {
    return run() ?? 'fine';
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const context = vm.createContext({ x: 20, list: [] });
show('context', [vm.isContext(context), vm.isContext({}), vm.runInContext('x += 2; x', context), context.x]);
vm.runInContext('var made = 1; function double(n) { return n * 2; } later = double(21);', context);
show('left behind', [context.made, context.later, vm.runInContext('double(4)', context), typeof context.double]);
show('new', [vm.runInNewContext('a + 1', { a: 41 }), vm.runInNewContext('typeof process + typeof require'), vm.runInNewContext('[1, 2].map((n) => n * k)', { k: 3 }).join(), vm.runInNewContext('this.y = 5; y')]);
show('unknown', fails(() => vm.runInNewContext('nothing.here')));
show('syntax', fails(() => new vm.Script('let = = 1'))[0]);
const script = new vm.Script('n = (typeof n === "undefined" ? 0 : n) + 1');
const counter = vm.createContext({});
script.runInContext(counter);
script.runInContext(counter);
show('script', [counter.n, new vm.Script('1 + 1').runInThisContext(), script.runInNewContext({ n: 10 })]);
globalThis.shared = 7;
show('this context', [vm.runInThisContext('shared * 2'), fails(() => vm.runInThisContext('throw new TypeError("inside")'))]);
show('function', vm.compileFunction('return a + b', ['a', 'b'])(1, 2));
show('wrong', [fails(() => vm.runInContext('1', {}))[1], fails(() => vm.createContext(5))[1], fails(() => vm.runInThisContext(5))[1]]);
