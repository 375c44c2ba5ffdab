// Plurals, relative times, lists, names.
const locales = 'en de fr es it pt nl sv da nb fi pl cs uk ru tr el he ar hi th vi id ja ko zh'.split(' ');
for (const locale of locales) {
  for (const type of ['cardinal', 'ordinal']) {
    const rules = new Intl.PluralRules(locale, { type });
    console.log(locale, type, [0, 1, 2, 3, 5, 11, 21, 22, 100, 1.5, 1e6].map((n) => rules.select(n)).join(), JSON.stringify(rules.resolvedOptions()), rules.selectRange(1, 3));
  }
  for (const style of ['long', 'short', 'narrow']) {
    for (const numeric of ['always', 'auto']) {
      const relative = new Intl.RelativeTimeFormat(locale, { style, numeric });
      console.log(locale, style, numeric, ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'years'].map((unit) => [-2, -1, 0, 1, 5].map((n) => relative.format(n, unit)).join()).join('; '));
    }
    for (const type of ['conjunction', 'disjunction', 'unit']) {
      const list = new Intl.ListFormat(locale, { style, type });
      console.log([['A'], ['A', 'B'], ['A', 'B', 'C'], ['a', 'b', 'c', 'd']].map((items) => list.format(items)).join('; '));
    }
    const names = (type, codes) => codes.map((code) => new Intl.DisplayNames(locale, { type, style }).of(code)).join();
    console.log(names('region', ['US', 'DE', 'GB', '419']), names('language', ['en', 'de-AT', 'zh-Hans', 'pt-BR', 'sr-Latn', 'nl-BE']), names('script', ['Latn', 'Cyrl', 'Hans']), names('currency', ['USD', 'EUR', 'JPY']), names('dateTimeField', ['year', 'month', 'dayPeriod', 'timeZoneName']));
  }
}
console.log(JSON.stringify(new Intl.RelativeTimeFormat('de').formatToParts(-1234, 'day')), JSON.stringify(new Intl.ListFormat('es').formatToParts(['padre', 'hijo', 'Irene'])));
