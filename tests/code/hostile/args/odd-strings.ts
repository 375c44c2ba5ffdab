// about: text that is no Unicode
// expect: ok
// value: [true,true,3,1,"\"\\"]

const r: any = await echo({ ['k\udc00']: '\ud800', nul: 'a\u0000b', sep: '\u2028', quote: '"\\' });
return [Object.keys(r)[0] === 'k\udc00', r['k\udc00'] === '\ud800', r.nul.length, r.sep.length, r.quote];
