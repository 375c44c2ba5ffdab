// Values as `console` shows them. console.expected.txt is what Node 20 prints for this file:
//   node crates/node/tests/node/console.mjs > crates/node/tests/node/console.expected.txt
const cases = [
  () => [1, -0, 1.5, NaN, Infinity, 10n, 'str', "it's", `a"b'c`, true, null, undefined, Symbol('s'), Symbol.iterator],
  () => ({}),
  () => [],
  () => ({a:{b:{c:{d:1}}}}),
  () => [[[[1]]]],
  () => [1,,3],
  () => Array(5),
  () => Object.assign([1,2],{x:1}),
  () => new Map([['a',{b:1}],[{k:1},[1,2]]]),
  () => new Set(['x',{y:1}]),
  () => new WeakMap(),
  () => new WeakSet(),
  () => function foo(){},
  () => ()=>{},
  () => class A{},
  () => class B extends Array{},
  () => async function af(){},
  () => function* g(){},
  () => async () => {},
  () => Math.max,
  () => Object.assign(function f(){}, {a:1}),
  () => new Date(0),
  () => new Date(NaN),
  () => /ab+c/gi,
  () => new (class Foo { constructor(){ this.x = 1 } }),
  () => Object.create(null),
  () => Object.assign(Object.create(null),{a:1}),
  () => Object.create({inherited:1}),
  () => Object.create(class Z{}.prototype),
  () => { const a = {n:1}; a.self = a; a.arr=[a]; return a },
  () => ({ get x(){return 1}, set x(v){}, get y(){return 2}, set z(v){} }),
  () => ({ [Symbol('k')]: 1, 'a-b': 2, 3: 4, 'valid_id': 5 }),
  () => new Uint8Array([1,2,3]),
  () => new Float64Array(2),
  () => new ArrayBuffer(4),
  () => new DataView(new ArrayBuffer(2)),
  () => new BigInt64Array(1),
  () => new Number(3),
  () => new String('abc'),
  () => new Boolean(false),
  () => Object(Symbol('q')),
  () => Object(1n),
  () => Promise.resolve(4),
  () => new Promise(()=>{}),
  () => { const p = Promise.reject(5); p.catch(()=>{}); return p },
  () => new Proxy({a:1},{}),
  () => new Proxy([1,2],{}),
  () => new Proxy(function fp(){},{}),
  () => new Proxy({}, { get(){ throw new Error('trap') }, ownKeys(){ throw new Error('trap') }, getPrototypeOf(){ throw new Error('trap') } }),
  () => [1,2,3].values(),
  () => 'ab'[Symbol.iterator](),
  () => (function*(){})(),
  () => 'x'.repeat(200),
  () => ['x'.repeat(200)],
  () => Array.from({length:150},(_, i)=>i),
  () => Array.from({length:30},(_, i)=>'item'+i),
  () => ({s:'multi\nline', t:'tab\t', u:'\u0000', e:'é', emoji:'😀', lone:'\ud800'}),
  () => ({a:1,b:'two',c:[3],d:{e:null},f:undefined,g(){},h:()=>{},i:Symbol('j')}),
  () => Object.fromEntries(Array.from({length:30},(_, i)=>['key'+i,i])),
  () => ({long1:'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', long2:'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', long3:'cccccccccccccccccc'}),
  () => globalThis === global,
  () => new (class extends Map{ })([[1,2]]),
  () => new (class X { #p = 1; q = 2; static s = 1 }),
  () => (class X { static s = 1 }),
  () => [undefined, null],
  () => ({a:[{b:{c:{}}}]}),
  () => [new Date(0), /x/],
  () => Object.freeze({a:1}),
  () => arguments_(1,'b'),
  () => JSON,
  () => Math,
  () => Reflect,
  () => Atomics,
  () => (0,eval)('this') === globalThis,
  () => new (function Old(){ this.v = 1 }),
  () => [['a',1],['b',2]],
  () => ({ toString(){ return 'ts' } }),
  () => ({ [Symbol.toStringTag]: 'Tagged', a: 1 }),
  () => new (class K { get [Symbol.toStringTag]() { return 'T' } }),
  () => [1.0, 1e21, 1e-7, 123456789.123],
  () => -0,
  () => [-0],
  () => ({ 'a': -0 }),
  () => ({ [Symbol.for('nodejs.util.inspect.custom')]() { return 'CUSTOM' } }),
  () => ({ [Symbol.for('nodejs.util.inspect.custom')](d, o) { return { d, depth: o.depth } } }),
  () => new WeakRef({a:1}),
  () => new Map([[{a:{b:{c:{}}}}, {a:{b:{c:{}}}}]]),
  () => [[]],
  () => [{}],
  () => ({a:{}}),
  () => ({a:[]}),
  () => new Array(3).fill([1,2,[3]]),
  () => new (class Empty{}),
  () => Object.create(Object.create(null)),
  () => [,'a'],
  () => [,'a',,],
  () => ({ undefined: undefined, null: null }),
  () => 'top level',
  () => 12345678901234567890n,
  () => [1.5,2.25,-3],
  () => ['apple','banana','cherry','dragonfruit','elderberry','fig','grape'],
  () => [true,false,true,false,true,false,true,false],
];
function arguments_() { return arguments }
cases.forEach((c, i) => { try { console.log(i, c()) } catch (e) { console.log(i, 'THROWN', e.message) } ; try { console.log(c()) } catch (e) { console.log(i, 'THROWN', e.message) } });
console.log('%s %s %s %s', 'a', 1, {a:{b:{c:1}}}, [1]);
console.log('%d %i %f', '42', 3.9, '1.5x');
console.log('%j', {a:1});
console.log('%o', {f(){}});
console.log('%O', {a:{b:{c:{d:1}}}});
console.log('%c styled', 'color: red');
console.log('100%', 5);
console.log('%% %s', 'x');
console.log('%s');
console.log('%x', 1);
console.log('a', 'b', {c:1});
console.log('%s', Symbol('x'), 5n, -0, null, undefined);
console.log('%s', -0);
console.log('%d', 5n, 'z');
console.log('%s', function foo(){});
console.log('%s', class A{});
console.log('%s', new Error('e1').message);
console.log();
console.log('');
console.log(' ');
console.log(null);
console.log('%s', {toString(){return 'own'}});
console.log('%s', new (class Q { toString(){return 'cls'} }));
console.log('%i', 'abc');
console.log('%j', (() => { const a = {}; a.a = a; return a })());
console.dir({a:{b:{c:{d:1}}}}, {depth:0});
console.dir({a:{b:{c:{d:1}}}}, {depth:null});
console.dir('s');
console.group('G1');
console.log('in\nner');
console.group();
console.log({a:1,b:{c:2}});
console.groupEnd();
console.info('back');
console.groupEnd();
console.groupEnd();
console.debug('out');
console.table([{a:1,b:'x'},{a:2,c:true}]);
console.table([[1,2],[3,4,5]]);
console.table({r1:{c:1},r2:{c:{d:{e:1}}}});
console.table(new Map([['k',{v:1}],['z',2]]));
console.table(new Set([1,'a']));
console.table([1,'two',{three:3}]);
console.table([{a:1,b:2}],['b']);
console.table(5);
console.table(null);
console.table([]);
console.table([{name:'日本'},{name:'é'}]);
console.table([{a:1,b:2}],['zz']);
console.table([[]]);
console.table([{f(){}, s:Symbol('a')}]);
console.count();
console.count('x');
console.count();
console.countReset();
console.count();
console.assert(true,'no');
console.dirxml({a:1}, [2]);
const { log } = console; log('detached');
console.log(typeof console.log, console.log.name, console.warn.name, console.error.name, console.info.name, console.dir.name, console.group.name);
console.log(String(new Error('x')), Object.prototype.toString.call(console), Object.prototype.toString.call(process));
console.log([new Error('inarr').message]);
class VE extends Error { constructor(m, x){ super(m); this.name = 'VE'; this.extra = x } } 
const strip = (e) => { e.stack = e.stack.split('\n')[0]; return e };
console.log(strip(new Error('plain')));
console.log(strip(new VE('custom', 7)));
console.log({ e: strip(new TypeError('nested')) });
console.log(strip(new Error('with cause', { cause: strip(new Error('c')) })));
console.log(strip(new AggregateError([strip(new Error('m1'))], 'agg')));
console.log([strip(new RangeError('r'))]);
const ne = strip(new Error(''));
console.log(ne);  class NoName extends Error {} ;
console.log(strip(new NoName('nn')));
const oe = Object.assign(strip(new Error('props')), { code: 'E', nested: { a: 1 } });
console.log(oe);
