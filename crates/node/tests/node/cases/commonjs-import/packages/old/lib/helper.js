module.exports = 'helper';
