// Methods that depend on locale or time zone, such as `toLocaleString`. Their implementation, `intl/methods.js`, is
// loaded on the first call.

export function defineLocaleMethods(importBuiltin) {
  const intl = () => importBuiltin('lmthing:internal/intl/all').methods;
  const dateText = (kind, date, locales, options) => intl().dateToLocaleString(kind, getTime.call(date), locales, options);

  replace(Number.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return intl().numberToLocaleString(Number.prototype.valueOf.call(this), locales, options);
    },
  });
  replace(BigInt.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return intl().numberToLocaleString(BigInt.prototype.valueOf.call(this), locales, options);
    },
  });
  const arrays = {
    toLocaleString(locales = undefined, options = undefined) {
      return intl().arrayToLocaleString(this, locales, options);
    },
  };
  replace(Array.prototype, arrays);
  replace(Object.getPrototypeOf(Uint8Array.prototype), arrays);
  replace(String.prototype, {
    localeCompare(that, locales = undefined, options = undefined) {
      return intl().compareTexts(`${this}`, String(that), locales, options);
    },
    toLocaleUpperCase(locales = undefined) {
      return intl().toLocaleUpperCase(`${this}`, locales);
    },
    toLocaleLowerCase(locales = undefined) {
      return intl().toLocaleLowerCase(`${this}`, locales);
    },
  });
  replace(Date.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return dateText('any', this, locales, options);
    },
    toLocaleDateString(locales = undefined, options = undefined) {
      return dateText('date', this, locales, options);
    },
    toLocaleTimeString(locales = undefined, options = undefined) {
      return dateText('time', this, locales, options);
    },
    toString() {
      return withZone(plainText(this), this);
    },
    toTimeString() {
      return withZone(clockText(this), this);
    },
  });

  const withZone = (text, date) => (text === 'Invalid Date' ? text : `${text} (${intl().currentZoneName(getTime.call(date))})`);
}

const { getTime, toString, toTimeString } = Date.prototype;
let plainText = (date) => toString.call(date);
let clockText = (date) => toTimeString.call(date);

/** Makes QuickJS's `Date` methods use the texts of `internal/date.js`. */
export function showDatesBy(texts) {
  const orInvalid = (write) => (date) => (Number.isNaN(getTime.call(date)) ? 'Invalid Date' : write(date));
  plainText = orInvalid(texts.plainText);
  clockText = orInvalid(texts.clockText);
}

/** Non-enumerable, like the built-in methods. */
function replace(holder, methods) {
  const property = { __proto__: null, value: undefined, writable: true, configurable: true, enumerable: false };
  for (const name of Object.keys(methods)) {
    property.value = methods[name];
    Object.defineProperty(holder, name, property);
  }
}
