// Selection of the locale, and its reported properties.
const show = (value) => console.log(JSON.stringify(value));
for (const tag of ['de-u-nu-arab', 'en-u-hc-h23', 'zh-Hant-TW', 'zh-TW', 'zh-CN', 'sr-RS', 'no', 'iw', 'xx', 'xx-YY', 'de-XX', 'en-US-u-ca-buddhist-hc-h12', 'pt-AO', 'ar-u-nu-latn', ['xx', 'fr'], ['de', 'en'], []]) {
  show([tag, new Intl.NumberFormat(tag).resolvedOptions(), new Intl.DateTimeFormat(tag, { timeZone: 'UTC', hour: 'numeric' }).resolvedOptions(), new Intl.ListFormat(tag).resolvedOptions(), Intl.DateTimeFormat.supportedLocalesOf(tag)]);
}
show([Intl.getCanonicalLocales(['EN-us', 'zh-hans-cn', 'de-DE-u-co-phonebk']), Intl.supportedValuesOf('unit'), Intl.supportedValuesOf('currency').length, Intl.supportedValuesOf('timeZone')]);
for (const [tag, options] of [['de', { region: 'AT' }], ['en-Latn-US-u-ca-gregory', { calendar: 'buddhist', hourCycle: 'h11' }], ['zh', { script: 'Hant' }], ['en', { numeric: true, caseFirst: 'upper' }]]) {
  const locale = new Intl.Locale(tag, options);
  show([String(locale), locale.baseName, locale.language, locale.script, locale.region, locale.numeric, locale.calendar, locale.hourCycle, String(locale.maximize()), String(locale.minimize()), locale.weekInfo, locale.textInfo, locale.hourCycles, locale.timeZones]);
}
for (const timeZone of ['utc', 'Asia/Kolkata', 'GMT', 'Etc/GMT+5', 'US/Pacific', 'Europe/Kyiv', 'Asia/Saigon', 'GB', 'Japan', 'Etc/UTC', 'europe/berlin']) show([timeZone, new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone]);
show([[1234.5, new Date(0), null, 'a'].toLocaleString('de', { timeZone: 'UTC' }), new Float64Array([1234.5, 0.25]).toLocaleString('de'), Object.prototype.toString.call(Intl), Intl.NumberFormat('en') instanceof Intl.NumberFormat]);
