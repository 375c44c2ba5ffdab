undeclared = 5;
module.exports = [typeof globalThis.undeclared, delete globalThis.undeclared, 010];
