// about: spin while the console reads
// expect: error

console.log({ get x(): number { for (;;) { /* spin */ } } });
return 1;
