// Ranges of dates.
const start = Date.UTC(2024, 0, 10, 9, 5);
const ends = [3600e3, 5 * 3600e3, 3 * 86400e3, 40 * 86400e3, 500 * 86400e3].map((more) => start + more);
const options = [{}, { dateStyle: 'long' }, { timeStyle: 'short' }, { month: 'short', day: 'numeric' }, { hour: 'numeric', minute: '2-digit' }, { year: 'numeric', month: 'long' }];
for (const locale of 'en de es it nl sv da pl ru tr ja ko en-GB'.split(' ')) {
  for (const option of options) {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...option });
    console.log(locale, JSON.stringify(option), JSON.stringify(ends.map((end) => format.formatRange(start, end))));
  }
}
console.log(JSON.stringify(new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).formatRangeToParts(start, ends[2])));
