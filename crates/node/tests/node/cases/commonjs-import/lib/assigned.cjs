module.exports = { x: 1, 'y': 2, z }; function z() {} if (false) exports.missing = 1;
