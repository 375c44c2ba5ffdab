module.exports = {
  isThis: this === exports, filename: __filename, dirname: __dirname, id: module.id, loaded: module.loaded, path: module.path,
  arguments: arguments.length, parent: typeof module.parent, require: typeof module.require('./b.cjs'), strict: (function () { return this === undefined; })(),
};
if (module.exports.loaded) return;
module.exports.afterReturn = false;
