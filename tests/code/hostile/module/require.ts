// about: require a module
// expect: refused

const fs = require('fs');
return fs.readFileSync('/etc/passwd', 'utf8');
