// `Date` in a zone with summer time.
const date = new Date(2024, 2, 31, 2, 30);
console.log(date.toISOString(), String(date), date.getHours(), date.getDay(), date.toDateString(), date.toTimeString(), date.toUTCString());
date.setHours(5);
console.log(date.toISOString());
date.setMonth(6, 1);
console.log(String(date), date.getTimezoneOffset(), new Date('2024-10-27T02:30').toISOString(), new Date(2024, 9, 27, 2, 30).toISOString());
console.log(new Date('2024-07-01 12:00').toISOString(), new Date('July 4, 2024 10:00').toISOString(), new Date('2024-07-01').toISOString(), new Date('2024-07-01T12:00:00+05:00').toISOString(), new Date('Thu, 01 Jan 1970 00:00:00 GMT').toISOString(), Date.parse('2024-10-27T02:30:00'));
console.log(new Date(99, 0).getFullYear(), new Date(NaN).getHours(), String(new Date(NaN)), new Date(NaN).getTimezoneOffset(), typeof Date(), Date.length, Date.name, new Date(0) instanceof Date, Object.prototype.toString.call(new Date()), structuredClone(new Date(0)) instanceof Date, new Date(new Date(5)).getTime(), JSON.stringify(new Date(0)));
class Mine extends Date {}
console.log(new Mine(0) instanceof Mine, new Mine(2024, 1).getMonth(), new Date('x').getTime(), new Date(undefined).getTime(), new Date(null).getTime(), Date.UTC(2024, 1), [new Date(1e12)]);
console.log(new Date(0).toLocaleString(), new Date(0).toLocaleTimeString('de'), Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(1e12).toLocaleString('en', { timeZoneName: 'long' }));
