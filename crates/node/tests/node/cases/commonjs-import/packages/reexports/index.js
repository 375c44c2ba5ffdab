if (process.env.NODE_ENV === 'production') { module.exports = require('./lib/one.js'); } else { module.exports = require('./lib/two.js'); }
