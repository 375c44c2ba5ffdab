"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.value = exports.default = void 0;
exports.value = 'v';
exports.default = 'the default';
