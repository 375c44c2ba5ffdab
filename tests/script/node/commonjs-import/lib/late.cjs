exports.answer = 42;
