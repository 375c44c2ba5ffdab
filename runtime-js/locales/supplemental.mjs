// Data that is independent of locales: plural rules, calendars and hour cycles by region, digits, time zones.

const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
const pick = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => keys.has(key)));

/** Rules without samples: `{one: 'i = 1 and v = 0'}`, without `other`. */
function rules(page, languages) {
  return mapValues(pick(page, languages), (entries) => Object.fromEntries(Object.entries(entries)
    .map(([key, rule]) => [key.slice('pluralRule-count-'.length), rule.split('@')[0].trim()])
    .filter(([category]) => category !== 'other')));
}

/** Names equivalent to a locale with pages: `de-DE` is `de`, `zh-TW` is `zh-Hant`. */
function synonyms(cldr, locales) {
  const { defaultContent } = cldr.read('cldr-core/defaultContent.json');
  const { likelySubtags } = cldr.supplemental('likelySubtags');
  const found = {};
  for (const locale of defaultContent) {
    // ICU has it under the name of the macrolanguage only.
    if (locale === 'nb-NO') continue;
    const general = locale.slice(0, locale.lastIndexOf('-'));
    const target = locales.includes(general) ? general : found[general];
    if (target !== undefined && !locales.includes(locale)) found[locale] = target;
  }
  for (const locale of [...locales, ...Object.keys(found)]) {
    const [, language, script, region] = /^([a-z]+)-([A-Z][a-z]{3})-(\w+)$/.exec(locale) ?? [];
    if (region === undefined) continue;
    const short = `${language}-${region}`;
    const likely = likelySubtags[short] ?? likelySubtags[language];
    if (!locales.includes(short) && likely?.split('-')[1] === script) found[short] = found[locale] ?? locale;
  }
  return found;
}

export function coreOf(cldr, locales, parents) {
  const read = (name) => cldr.supplemental(name);
  const languages = new Set(locales.map((locale) => locale.split('-')[0]));
  const known = new Set([...locales, ...languages]);
  const systems = read('numberingSystems').numberingSystems;
  const toPairs = (ranges) => mapValues(ranges, (category) => category);
  return {
    locales,
    parents,
    synonyms: synonyms(cldr, locales),
    cardinal: rules(read('plurals')['plurals-type-cardinal'], known),
    ordinal: rules(read('ordinals')['plurals-type-ordinal'], known),
    ranges: mapValues(pick(read('pluralRanges').plurals, known), toPairs),
    digits: mapValues(Object.fromEntries(Object.entries(systems).filter(([, { _type }]) => _type === 'numeric')), ({ _digits }) => _digits),
    fractions: mapValues(read('currencyData').currencyData.fractions, ({ _digits }) => Number(_digits)),
    hours: mapValues(read('timeData').timeData, ({ _preferred, _allowed }) => `${_preferred} ${_allowed}`),
    dayPeriods: pick(read('dayPeriods').dayPeriodRuleSet, known),
    calendars: read('calendarPreferenceData').calendarPreferenceData,
    week: (({ firstDay, minDays, weekendStart, weekendEnd }) => ({ firstDay, minDays, weekendStart, weekendEnd }))(read('weekData').weekData),
    currencies: currencyCodes(read('currencyData').currencyData),
  };
}

/** Listed by ISO 4217, but not used by any region. */
const STILL_LISTED = ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'SVC', 'XDR', 'XSU', 'ZWL'];

/** Currencies in current use by some region. */
function currencyCodes({ region }) {
  const uses = Object.values(region).flatMap((list) => list.flatMap(Object.entries));
  const current = uses.filter(([, { _to, _tender }]) => _to === undefined && _tender !== 'false').map(([code]) => code);
  return [...new Set([...current, ...STILL_LISTED])].sort();
}

/** Seconds since the epoch of CLDR's `2006-10-01 06:00`. */
const seconds = (text) => text && Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;

export function zonesOf(cldr) {
  const { metaZones: { metazoneInfo, metazones } } = cldr.supplemental('metaZones');
  const { primaryZones } = cldr.supplemental('primaryZones');
  const { keyword: { u: { tz } } } = cldr.read('cldr-bcp47/bcp47/timezone.json');
  const canonical = {};
  const regions = {};
  const short = {};
  for (const [key, entry] of Object.entries(tz)) {
    if (typeof entry !== 'object' || !entry._alias) continue;
    const [name, ...others] = entry._alias.split(' ');
    for (const other of others) canonical[other] = name;
    short[key] = name;
    const region = entry._region ?? (/^[a-z]{5,}$/.test(key) && name.includes('/') && !name.startsWith('Etc/') ? key.slice(0, 2).toUpperCase() : undefined);
    if (region !== undefined && !entry._deprecated) regions[name] = region;
  }
  const uses = {};
  const walk = (node, path) => {
    if (!Array.isArray(node)) {
      for (const [name, child] of Object.entries(node)) walk(child, [...path, name]);
      return;
    }
    uses[path.join('/')] = node.map(({ usesMetazone: { _mzone, _from, _to } }) => [_mzone, seconds(_from) ?? null, seconds(_to) ?? null]);
  };
  walk(metazoneInfo.timezone, []);
  const golden = {};
  for (const { mapZone: { _other, _type, _territory } } of metazones) (golden[_other] ??= {})[_territory] = _type;
  return { canonical, short, regions, primary: primaryZones, uses, golden };
}
