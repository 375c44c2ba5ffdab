// about: a result that is too large
// expect: error

return Array.from({ length: 300000 }, (_, i) => 'item ' + i);
