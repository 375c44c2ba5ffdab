function inner() {
  return nothing.x;
}
exports.run = function run() {
  return inner();
};
