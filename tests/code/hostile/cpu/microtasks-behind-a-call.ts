// about: spin in the background while a call is under way
// expect: contained

const spin = async (): Promise<void> => { for (;;) await null; };
void spin();
await pause({ turns: 1 });
return 'back';
