module.exports = 'index of lib';
