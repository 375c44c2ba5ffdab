// about: line ends parsers disagree about
// expect: contained

const a = "x y";
// comment (globalThis as any).hidden = 1;
return a.length;
