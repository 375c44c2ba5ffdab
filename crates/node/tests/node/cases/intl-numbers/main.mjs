// Numbers in many languages: every line has to be Node's.
const locales = 'en de fr es it pt nl sv da nb fi pl cs uk ru tr el he ar hi th vi id ja ko zh en-GB en-IN de-AT de-CH fr-CA es-MX pt-PT zh-TW ar-EG'.split(' ');
const numbers = [0, -1.5, 1234.567, -9876543.21, 1e12];
const options = [
  {}, { style: 'percent', maximumFractionDigits: 1 }, { maximumSignificantDigits: 3 }, { minimumFractionDigits: 2 },
  { style: 'currency', currency: 'EUR' }, { style: 'currency', currency: 'USD', currencySign: 'accounting' }, { style: 'currency', currency: 'JPY', currencyDisplay: 'name' },
  { style: 'currency', currency: 'CHF', currencyDisplay: 'code' }, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' },
  { notation: 'compact', style: 'currency', currency: 'USD' }, { notation: 'scientific' }, { notation: 'engineering' },
  { style: 'unit', unit: 'kilometer-per-hour' }, { style: 'unit', unit: 'liter', unitDisplay: 'long' }, { style: 'unit', unit: 'gigabyte', unitDisplay: 'narrow' },
  { signDisplay: 'exceptZero' }, { useGrouping: false }, { roundingMode: 'halfEven', maximumFractionDigits: 0 },
];
for (const locale of locales) {
  for (const option of options) {
    const format = new Intl.NumberFormat(locale, option);
    console.log(locale, JSON.stringify(option), JSON.stringify(numbers.map(format.format)));
  }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  console.log(JSON.stringify(format.formatToParts(-1234.5)), JSON.stringify(format.resolvedOptions()), format.formatRange(3, 5));
}
console.log((123456789012345678901234567890n).toLocaleString('de'), (0.1 + 0.2).toLocaleString(), new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format('0.12345678901234567890123'));
console.log(new Intl.NumberFormat('en', { roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 }).format(1.23), new Intl.NumberFormat('en', { trailingZeroDisplay: 'stripIfInteger', minimumFractionDigits: 2 }).format(3));
