const a = require('./a.cjs');
module.exports = { sawEarly: a.early, sawLate: a.late };
