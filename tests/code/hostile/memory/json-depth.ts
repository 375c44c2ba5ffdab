// about: parse deep JSON
// expect: contained

return JSON.stringify(JSON.parse('['.repeat(200000) + ']'.repeat(200000))).length;
