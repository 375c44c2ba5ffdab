// Sorting, segments, case.
const words = ['Zebra', 'äpfel', 'apfel', 'Apfel', 'zebra', 'éclair', 'eclair', 'Öl', 'ol', 'ß', 'ss', 'a-b', 'ab', 'a b', '10', '9', '_x', 'ñu', 'nz', 'čaj', 'cz', 'đ', 'Ångström', 'łan', 'ch', 'ci', 'i', 'ı', 'I', 'İ', 'Ελλάδα', 'Россия', 'ёж', '日本', '中国', '한국', 'ไทย', 'שלום', 'مرحبا'];
for (const locale of 'en de sv da nb fi pl cs es tr lt hr fr ru el ja zh ko th ar he de-u-co-phonebk zh-u-co-stroke'.split(' ')) console.log(locale, [...words].sort(new Intl.Collator(locale).compare).join());
const items = ['item 10', 'item 9', 'Item 2', 'item 1', 'ITEM 1'];
console.log([...items].sort(new Intl.Collator('en', { numeric: true }).compare).join(), [...items].sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' })).join(), [...items].sort(new Intl.Collator('en', { caseFirst: 'upper', numeric: true }).compare).join());
for (const sensitivity of ['base', 'accent', 'case', 'variant']) console.log(sensitivity, ['á', 'A', 'Á', 'b'].map((other) => 'a'.localeCompare(other, 'en', { sensitivity })).join());
console.log('a-b'.localeCompare('ab', 'en', { ignorePunctuation: true }), 'a'.localeCompare('b'), 'résumé'.localeCompare('resume', 'de'), JSON.stringify(new Intl.Collator('de', { numeric: true, usage: 'search' }).resolvedOptions()));
const texts = ['Hello, world! It costs $5.50 (or 3,5 €). Mr. Smith went. "Why?" he asked.', 'こんにちは世界。今日は天気です。', '我喜欢吃苹果。你呢?', 'สวัสดีครับ วันนี้อากาศดี', '안녕하세요 세계', '👨‍👩‍👧‍👦🇩🇪é\u0301 ok', 'क्षत्रिय नमस्ते'];
for (const text of texts) {
  for (const granularity of ['grapheme', 'word', 'sentence']) {
    console.log(granularity, JSON.stringify([...new Intl.Segmenter('en', { granularity }).segment(text)].map(({ segment, index, isWordLike }) => [segment, index, isWordLike])));
  }
}
console.log(JSON.stringify(new Intl.Segmenter('en', { granularity: 'word' }).segment('one two').containing(5)));
console.log('istanbul'.toLocaleUpperCase('tr'), 'IĞDIR'.toLocaleLowerCase('tr'), 'straße'.toLocaleUpperCase('de'), 'άέή'.toLocaleUpperCase('el'), 'i̇'.toLocaleUpperCase('lt'), 'abc'.toLocaleUpperCase(['xx', 'en']));
