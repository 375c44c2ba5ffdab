// The part of `util` that @sinonjs/fake-timers needs.
module.exports = { promisify: { custom: Symbol.for('nodejs.util.promisify.custom') } };
