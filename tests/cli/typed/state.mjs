/** @param {import('lmthing').Prompt} prompt */
export function states({ defState, getState }) {
  const [names, setNames] = defState('names', []);
  setNames([...names, 'Ada']);
  setNames((before) => [...before, { name: 'Bob' }]);
  setNames('Ada'); //~ TS2345

  const [user, setUser] = defState('user', null);
  setUser({ name: 'Ada' });
  user.name;

  const [cart, setCart] = defState('cart', { items: [], buyer: null, total: 0 });
  setCart({ ...cart, items: [...cart.items, 'tea'], buyer: 'Ada' });
  cart.totl; //~ TS2551
  setCart({ ...cart, total: 'much' }); //~ TS2322

  const [words, setWords] = defState('words', {});
  words.tea;
  setWords({ tea: 'Tee' });

  const [count, setCount] = defState('count', () => 0);
  setCount(count + 1);
  setCount((before) => before + 1);
  setCount('one'); //~ TS2345

  const [rooms, setRooms] = defState('rooms', { kitchen: 18, bath: 22 });
  setRooms((before) => ({ ...before, kitchen: 21 }));
  rooms.kitchn; //~ TS2551

  const [parsed] = defState('parsed', JSON.parse('[]'));
  parsed.anything.goes;
  const [seen, setSeen] = defState('seen', new Map());
  setSeen(new Map(seen).set('a', 1));
  seen.add('a'); //~ TS2339
  defState('alone'); //~ TS2554
  getState('names').length;
}
