// Not a test: `cargo test … -- --ignored --nocapture speed`.
const records = [];
for (let i = 0; i < 7000; i++) records.push({ id: i, name: `record ${i}`, tags: ['a', 'b'], score: i / 3, nested: { text: 'some text of a record that is longer', ok: true, nothing: null } });
const texts = Array.from({ length: 1000 }, (_, index) => ({ role: 'user', content: `${index} ${'lorem ipsum dolor '.repeat(57)}` }));
const small = { todo: [{ id: 1, title: 'One', done: false }, { id: 2, title: 'Two', done: true }], note: 'x', seen: 3 };
const cases = { records: [records], texts: [texts], small: [small, 5, 'text'], special: [new Map(records.map((record) => [record.id, record]))] };
for (const [name, values] of Object.entries(cases)) {
  const prompt = makePrompt();
  values.forEach((value, index) => prompt.defState(`s${index}`, () => value));
  const times = name === 'small' ? 1000 : 5;
  const start = performance.now();
  for (let i = 0; i < times; i++) memorize(prompt);
  report(`${name} ${remember(prompt).length} ${(((performance.now() - start) / times) * 1000).toFixed(0)} µs`);
}
