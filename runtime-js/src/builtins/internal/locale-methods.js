// The methods of the language that depend on the locale or on the zone. Their work waits in `intl/methods.js` until one of
// them is called; this is on the start-up path and stays small.

/** Puts them in place; `importBuiltin` loads the rest. */
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

/** Has dates show what `internal/date.js` takes for the time here. */
export function showDatesBy(texts) {
  const orInvalid = (write) => (date) => (Number.isNaN(getTime.call(date)) ? 'Invalid Date' : write(date));
  plainText = orInvalid(texts.plainText);
  clockText = orInvalid(texts.clockText);
}

/** As methods of the language are: not enumerable. */
function replace(holder, methods) {
  const property = { __proto__: null, value: undefined, writable: true, configurable: true, enumerable: false };
  for (const name of Object.keys(methods)) {
    property.value = methods[name];
    Object.defineProperty(holder, name, property);
  }
}
