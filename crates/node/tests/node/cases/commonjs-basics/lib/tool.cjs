#!/usr/bin/env node
module.exports = "tool";
