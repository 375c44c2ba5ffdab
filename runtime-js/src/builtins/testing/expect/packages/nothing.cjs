// Replaces modules that packages import but do not need.
module.exports = undefined;
