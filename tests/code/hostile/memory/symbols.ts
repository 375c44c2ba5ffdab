// about: fill the table of names
// expect: contained

for (let i = 0; i < 3_000_000; i++) Symbol.for('name' + i);
return 'done';
