// about: half surrogate pairs cross as they are, whatever became of the functions that text is made with
// expect: ok
// value: [true,{"�":"a�"},2]

const breach = () => 'BREACH';
Object.assign(String.prototype, { toJSON: breach, toWellFormed: breach, toString: breach });
JSON.stringify = breach;
const back: any = await echo({ '\udc00': 'a\ud800' });
const keys = Object.keys(back);
return [back['\udc00'] === 'a\ud800' && keys.length === 1, back, back['\udc00'].length];
