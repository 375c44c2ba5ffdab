// `DOMMatrix` in two dimensions, for PDF libraries.
import { brand } from '../shared/brand.js';

const IDENTITY = [1, 0, 0, 1, 0, 0];
const FLAT = ['m11', 'm12', 'm21', 'm22', 'm41', 'm42'];

function product([a, b, c, d, e, f], [g, h, i, j, k, l]) {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function valuesOf(init) {
  if (init === undefined) return IDENTITY;
  const list = typeof init[Symbol.iterator] === 'function' ? [...init].map(Number) : ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => init[name] ?? init[FLAT[index]] ?? IDENTITY[index]);
  if (list.length === 6) return list;
  if (list.length === 16) return [0, 1, 4, 5, 12, 13].map((index) => list[index]);
  throw new TypeError("Failed to construct 'DOMMatrix': The sequence must contain 6 elements for a 2D matrix or 16 elements for a 3D matrix.");
}

export class DOMMatrix {
  constructor(init) {
    [this.a, this.b, this.c, this.d, this.e, this.f] = valuesOf(init);
  }

  static fromMatrix(other) {
    return new DOMMatrix(other);
  }

  static fromFloat32Array(values) {
    return new DOMMatrix(values);
  }

  static fromFloat64Array(values) {
    return new DOMMatrix(values);
  }

  get is2D() {
    return true;
  }

  get isIdentity() {
    return this.#values.every((value, index) => value === IDENTITY[index]);
  }

  get #values() {
    return [this.a, this.b, this.c, this.d, this.e, this.f];
  }

  #become([a, b, c, d, e, f]) {
    return Object.assign(this, { a, b, c, d, e, f });
  }

  multiplySelf(other) {
    return this.#become(product(this.#values, valuesOf(other)));
  }

  preMultiplySelf(other) {
    return this.#become(product(valuesOf(other), this.#values));
  }

  translateSelf(x = 0, y = 0) {
    return this.multiplySelf([1, 0, 0, 1, x, y]);
  }

  scaleSelf(x = 1, y = x) {
    return this.multiplySelf([x, 0, 0, y, 0, 0]);
  }

  rotateSelf(degrees = 0) {
    const angle = (degrees * Math.PI) / 180;
    return this.multiplySelf([Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]);
  }

  invertSelf() {
    const [a, b, c, d, e, f] = this.#values;
    const size = a * d - b * c;
    if (size === 0) return this.#become([NaN, NaN, NaN, NaN, NaN, NaN]);
    return this.#become([d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size]);
  }

  multiply(other) {
    return new DOMMatrix(this).multiplySelf(other);
  }

  translate(x, y) {
    return new DOMMatrix(this).translateSelf(x, y);
  }

  scale(x, y) {
    return new DOMMatrix(this).scaleSelf(x, y);
  }

  rotate(degrees) {
    return new DOMMatrix(this).rotateSelf(degrees);
  }

  inverse() {
    return new DOMMatrix(this).invertSelf();
  }

  transformPoint({ x = 0, y = 0, z = 0, w = 1 } = {}) {
    const { a, b, c, d, e, f } = this;
    return { x: a * x + c * y + e * w, y: b * x + d * y + f * w, z, w };
  }

  toString() {
    return `matrix(${this.#values.join(', ')})`;
  }
}
for (const [index, flat] of FLAT.entries()) {
  const name = 'abcdef'[index];
  const property = {
    get() {
      return this[name];
    },
    set(value) {
      this[name] = value;
    },
    configurable: true,
  };
  Object.defineProperty(DOMMatrix.prototype, flat, property);
}
brand(DOMMatrix, 'DOMMatrix');
