// What `RegExp` knows of the last match.
import { doctype } from './lib/statics.cjs';

const all = () => [RegExp.$1, RegExp.$2, RegExp.$9, RegExp.input, RegExp.$_, RegExp.lastMatch, RegExp['$&'], RegExp.lastParen, RegExp['$+'], RegExp.leftContext, RegExp['$`'], RegExp.rightContext, RegExp["$'"]];
console.log(doctype('html "legacy"'), doctype('html'), doctype(''));
/(b)(c)?/.exec('abd');
const found = all();
console.log(found);
const later = [/(b)/.test('abd'), /x/.test('abd'), RegExp.$1];
console.log(later);
console.log('2024-05'.replace(/(\d+)-(\d+)/, () => `${RegExp.$2}/${RegExp.$1}`), 'a1b2'.match(/[a-z](\d)/g), RegExp.$1);
console.log('k=v'.split(/=/), 'find me'.search(/(m)e/), RegExp.$1, all()[9]);
console.log([...'a1b2'.matchAll(/([a-z])\d/g)].map(([, letter]) => letter + RegExp.$1));
class Own extends RegExp {}
console.log(new Own('(q)').exec('qq').index, RegExp.$1, /(?<year>\d+)/.exec('in 1999').groups.year, RegExp.lastMatch);
RegExp.$1 = 'ignored';
console.log(RegExp.$1, /z/.exec.name, RegExp.prototype.exec.length);
