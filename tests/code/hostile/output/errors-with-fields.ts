// about: an error's own name and message are written once, also when they are odd
// expect: ok
// value: [{"name":"Odd","message":"m","code":7},{"message":"m","name":5}]

class Odd extends Error {
  override name = 'Odd';
  code = 7;
}
return [new Odd('m'), Object.assign(new Error('m'), { name: 5 })];
