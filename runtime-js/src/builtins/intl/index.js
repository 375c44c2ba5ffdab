// `Intl`; constructors are loaded on first use.
import { importBuiltin } from 'lmthing:internal/native/modules';

const ALL = 'lmthing:internal/intl/all';

const intl = Object.create(Object.prototype, { [Symbol.toStringTag]: { value: 'Intl', configurable: true } });

const define = (name, value) => Object.defineProperty(intl, name, { value, writable: true, configurable: true, enumerable: false });

const functions = {
  getCanonicalLocales(locales) {
    return importBuiltin(ALL).canonicalizeLocaleList(locales);
  },
  supportedValuesOf(key) {
    return importBuiltin(ALL).supportedValuesOf(key);
  },
};
for (const [name, value] of Object.entries(functions)) define(name, value);

const CLASSES = ['DateTimeFormat', 'NumberFormat', 'Collator', 'PluralRules', 'RelativeTimeFormat', 'ListFormat', 'Locale', 'DisplayNames', 'Segmenter'];
for (const name of CLASSES) {
  Object.defineProperty(intl, name, {
    get() {
      const value = importBuiltin(ALL)[name];
      define(name, value);
      return value;
    },
    set(value) {
      define(name, value);
    },
    configurable: true,
    enumerable: false,
  });
}

export default intl;
