// What @sinonjs/fake-timers wants of `util`: how a function says what `promisify` makes of it.
module.exports = { promisify: { custom: Symbol.for('nodejs.util.promisify.custom') } };
