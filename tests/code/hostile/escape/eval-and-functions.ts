// about: make code out of text
// expect: ok
// value: "nothing"

const found: string[] = [];
const look = (name: string, make: () => any): void => {
  try {
    const value: unknown = make();
    if (value !== undefined && value !== null && value !== '') found.push('BRE' + 'ACH ' + name);
  } catch {
    // refused
  }
};
const g: any = globalThis;
look('eval', () => g.eval('1+1'));
look('indirect eval', () => (0, g['ev' + 'al'])('1+1'));
look('Function', () => new g.Function('return 1')());
look('arrow constructor', () => (() => 1).constructor('return 1')());
look('async', () => (async () => 1).constructor('return 1')());
look('generator', () => (function* () { yield 1; } as any).constructor('yield 1')());
look('async generator', () => (async function* () { yield 1; } as any).constructor('yield 1')());
look('Reflect', () => (Reflect as any).construct(g.Function, ['return 1'])());
look('bound', () => g.Function.bind(null, 'return 1')()());
look('class', () => { class K extends g.Function { constructor() { super('return 1'); } } return (new K() as any)(); });
return found.length === 0 ? 'nothing' : found.join();
