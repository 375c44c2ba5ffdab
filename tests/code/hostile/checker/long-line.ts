// about: a line of a megabyte
// expect: contained

const s = "%%REPEAT(1000000,"x")%%";
return s.length;
