module.exports = function double(n) { return 2 * n; }; module.exports.extra = 'e';
