import { section } from './data.js';
import { toDecimal, rounded } from './decimal.js';
import { canonicalizeLocaleList, numberingSystems, readMatcher, resolveLocale, supportedLocalesOf } from './locales.js';
import { makeNumberFormat } from './number-format.js';
import { numberParts } from './number-writer.js';
import { finish, stateOf, textOption, toOptions } from './options.js';
import { pluralOf } from './plural-rules.js';

const OWNER = 'Intl.RelativeTimeFormat';
const states = new WeakMap();
const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

function unitOf(unit, method) {
  const text = String(unit);
  const singular = text.endsWith('s') ? text.slice(0, -1) : text;
  if (!UNITS.includes(singular)) throw new RangeError(`Invalid unit argument for ${OWNER}.prototype.${method}() '${text}'`);
  return singular;
}

function parts(state, value, unit, method) {
  const number = Number(value);
  const name = unitOf(unit, method);
  if (!Number.isFinite(number)) throw new RangeError(`Invalid time value`);
  const fields = section(state.dataLocale, 'fields')[state.style === 'long' ? name : `${name}-${state.style}`];
  if (state.numeric === 'auto') {
    const named = fields[`relative-type-${Object.is(number, -0) ? 0 : number}`];
    if (named !== undefined) return [{ type: 'literal', value: named }];
  }
  const direction = number < 0 || Object.is(number, -0) ? 'past' : 'future';
  const decimal = toDecimal(Math.abs(number));
  const patterns = fields[`relativeTime-type-${direction}`];
  const plural = pluralOf(state.dataLocale, 'cardinal', rounded(decimal, state.number.digits));
  const pattern = patterns[`relativeTimePattern-count-${plural}`] ?? patterns['relativeTimePattern-count-other'];
  return pattern.split(/(\{0\})/).filter((piece) => piece !== '').flatMap((piece) => {
    if (piece !== '{0}') return [{ type: 'literal', value: piece }];
    return numberParts(state.number, decimal).map((part) => ({ ...part, unit: name }));
  });
}

class RelativeTimeFormat {
  constructor(locales = undefined, options = undefined) {
    const requested = canonicalizeLocaleList(locales);
    const given = toOptions(options, OWNER);
    readMatcher(given, OWNER);
    const asked = textOption(given, 'numberingSystem', undefined, undefined, OWNER);
    if (asked !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(asked)) throw new RangeError(`Invalid numberingSystem : ${asked}`);
    const systems = (name) => numberingSystems(section(name, 'numbers').ns);
    const { locale, name, dataLocale, values } = resolveLocale(requested, { nu: systems }, { nu: asked });
    const style = textOption(given, 'style', ['long', 'short', 'narrow'], 'long', OWNER);
    const numeric = textOption(given, 'numeric', ['always', 'auto'], 'always', OWNER);
    const number = makeNumberFormat(name, { numberingSystem: values.nu });
    states.set(this, { locale, dataLocale, style, numeric, numberingSystem: values.nu, number });
  }

  format(value, unit) {
    return parts(stateOf(states, this, `${OWNER}.prototype.format`), value, unit, 'format').map((part) => part.value).join('');
  }

  formatToParts(value, unit) {
    return parts(stateOf(states, this, `${OWNER}.prototype.formatToParts`), value, unit, 'formatToParts').map((part) => ({ ...part }));
  }

  resolvedOptions() {
    const { locale, style, numeric, numberingSystem } = stateOf(states, this, `${OWNER}.prototype.resolvedOptions`);
    return { locale, style, numeric, numberingSystem };
  }
}

export default finish(RelativeTimeFormat, OWNER, supportedLocalesOf(OWNER));
