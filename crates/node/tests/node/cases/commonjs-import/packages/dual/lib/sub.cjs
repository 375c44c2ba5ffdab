module.exports = 'sub by require';
