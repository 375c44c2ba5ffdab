// Refused arguments, with V8's messages.
const attempts = [
  () => new Intl.NumberFormat('x'), () => new Intl.NumberFormat('en', { style: 'currency' }), () => new Intl.NumberFormat('en', { style: 'foo' }), () => new Intl.NumberFormat('en', { maximumFractionDigits: 200 }),
  () => new Intl.NumberFormat('en', { style: 'unit', unit: 'foo' }), () => new Intl.DateTimeFormat('en', { timeZone: 'foo' }), () => new Intl.DateTimeFormat('en', { dateStyle: 'long', hour: 'numeric' }), () => new Intl.DateTimeFormat('en').format(NaN),
  () => new Intl.RelativeTimeFormat('en').format(1, 'foo'), () => new Intl.ListFormat('en').format([1]), () => Intl.supportedValuesOf('x'), () => new Intl.PluralRules('en', { type: 'x' }), () => new Intl.Locale(), () => 'a'.localeCompare('b', 'i-'),
  () => new Intl.NumberFormat('en', { style: 'currency', currency: 'x' }), () => new Intl.NumberFormat(null), () => new Intl.NumberFormat([5]), () => Intl.getCanonicalLocales('en_US'), () => new Intl.NumberFormat('en', { minimumFractionDigits: 5, maximumFractionDigits: 2 }),
  () => new Intl.NumberFormat('en', null), () => new Intl.DateTimeFormat('en').formatRange(1), () => new Intl.Segmenter('en', { granularity: 'x' }), () => new Date().toLocaleDateString('en', { timeStyle: 'short' }), () => new Date().toLocaleTimeString('en', { dateStyle: 'short' }),
  () => new Intl.NumberFormat('en', { roundingIncrement: 3 }),
];
for (const attempt of attempts) {
  try {
    console.log(attempt());
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}
console.log(new Date(NaN).toLocaleString(), NaN.toLocaleString('de'));
