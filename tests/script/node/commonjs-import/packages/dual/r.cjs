module.exports = 'by require';
