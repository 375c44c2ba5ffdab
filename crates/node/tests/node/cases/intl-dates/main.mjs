// Dates in many languages: every line has to be Node's.
const locales = 'en de fr es it pt nl sv da nb fi pl cs uk ru tr el he ar hi th vi id ja ko zh en-GB en-CA de-AT fr-CA es-MX pt-PT zh-TW ar-EG'.split(' ');
const date = new Date('2024-02-09T18:05:03.045Z');
const styles = ['full', 'long', 'medium', 'short'];
const options = [
  {}, ...styles.map((dateStyle) => ({ dateStyle })), ...styles.map((timeStyle) => ({ timeStyle })), { dateStyle: 'full', timeStyle: 'short' },
  { month: 'long', day: 'numeric' }, { month: 'short', year: 'numeric' }, { weekday: 'short', day: '2-digit', month: '2-digit' }, { year: '2-digit', month: 'numeric' },
  { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' }, { hour: 'numeric' }, { hour: '2-digit', minute: '2-digit', hour12: true },
  { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' }, { hour: 'numeric', dayPeriod: 'long' }, { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 2 },
  { era: 'long', year: 'numeric' }, { hour: 'numeric', timeZoneName: 'short' }, { timeZoneName: 'longGeneric' }, { timeZoneName: 'longOffset' },
];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
for (const locale of locales) {
  options.forEach((option, index) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zones[index % zones.length], ...option });
    console.log(locale, JSON.stringify(option), format.format(date), format.format(0));
  });
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'Asia/Tokyo', dateStyle: 'medium', timeStyle: 'medium' });
  console.log(JSON.stringify(format.formatToParts(date)), JSON.stringify(format.resolvedOptions()));
  console.log(date.toLocaleString(locale), date.toLocaleDateString(locale), date.toLocaleTimeString(locale, { timeZone: 'Australia/Sydney' }));
}
