// The language of the environment.
console.log(new Intl.NumberFormat().resolvedOptions().locale, (1234.5).toLocaleString(), new Date(0).toLocaleString(), new Date(0).toLocaleDateString(undefined, { dateStyle: 'full' }), new Intl.ListFormat().format(['a', 'b']), String(new Date(0)), 'z'.localeCompare('ä'));
