exports.a = 1;
module.exports.b = 'two';
Object.defineProperty(exports, 'c', { enumerable: true, value: () => 'three' });
const dynamic = 'd'; exports[dynamic] = 4;
