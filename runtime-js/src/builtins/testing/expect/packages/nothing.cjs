// Stands in for modules that a package asks for and does well without.
module.exports = undefined;
