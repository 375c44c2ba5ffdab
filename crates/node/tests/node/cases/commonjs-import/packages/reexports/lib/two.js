"use strict";
var __createBinding = function (o, m, k) { o[k] = m[k]; };
var __exportStar = function (m, exports) { for (var p in m) if (!Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p); };
Object.defineProperty(exports, "__esModule", { value: true });
__exportStar(require("./three.js"), exports);
exports.two = 2;
