// Standard input: events, pausing, reading by hand.
const { stdin } = process;
const show = (name, ...values) => console.log(name, ...values);
show('fields', stdin.fd, stdin.isTTY, stdin.readable, stdin.readableFlowing, stdin.readableEnded, typeof stdin.setRawMode, stdin.isPaused());
stdin.setEncoding('utf8');
let text = '';
await new Promise((done) => {
  stdin.on('readable', function read() {
    let chunk;
    while ((chunk = stdin.read(4)) !== null) {
      text += `${chunk}|`;
      if (text.length > 12) {
        stdin.off('readable', read);
        return done();
      }
    }
  });
});
show('by hand', text);
stdin.pause();
show('paused', stdin.isPaused());
await new Promise((done) => setTimeout(done, 5));
let rest = '';
for await (const chunk of stdin) rest += chunk;
show('rest', rest.length, rest.slice(-12), stdin.readableEnded, stdin.destroyed);
stdin.on('data', () => show('never'));
stdin.unref?.();
