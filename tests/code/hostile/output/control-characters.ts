// about: characters that move the cursor
// expect: contained

console.log('\u001b[2J\u001b]0;title\u0007', '\r', '\u0000');
return '\u001b[31m';
