// about: very many lines
// expect: contained

for (let i = 0; i < 300000; i++) console.error(i);
return 'printed';
