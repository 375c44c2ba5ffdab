const path = require('path'); exports.name = path.basename(__filename); exports.helper = require('./helper');
