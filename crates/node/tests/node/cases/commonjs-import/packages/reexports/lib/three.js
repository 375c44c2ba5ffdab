exports.three = 3; exports.path = require('path').sep;
