import type { Prompt } from 'lmthing';

interface Guest { name: string; meals?: string[] }

export function states({ defState, getState }: Prompt) {
  const [names, setNames] = defState<string[]>('names', []);
  setNames([...names, 'Ada']);
  setNames((before) => [...before, before[0]?.trim() ?? '']);
  setNames([1]); //~ TS2322

  const [guest, setGuest] = defState<Guest | null>('guest', null);
  setGuest({ name: 'Ada', meals: ['tea'] });
  guest.name; //~ TS18047
  guest?.nam; //~ TS2551

  const [open, setOpen] = defState('open', null);
  setOpen((before) => before ?? 'now');
  open.anything;

  const count: number | undefined = getState<number>('count');
  return count;
}
