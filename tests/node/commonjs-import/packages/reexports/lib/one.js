exports.one = 1;
