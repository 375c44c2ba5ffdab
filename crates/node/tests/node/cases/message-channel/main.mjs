// Two ports: copies, order, handlers, closing.
const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
const { port1, port2 } = new MessageChannel();
const seen = [];
port2.onmessage = (event) => seen.push([event.data, event.type, event instanceof MessageEvent]);
const original = { a: [1, new Date(5)] };
port1.postMessage(original);
original.a.push(2);
port1.postMessage('second');
show('later', seen.length);
await new Promise((done) => setTimeout(done, 30));
show('seen', seen);
const answer = new Promise((done) => port1.once('message', done));
port2.postMessage(7);
show('on', await answer);
const closed = new Promise((done) => port2.addEventListener('close', () => done('closed')));
port1.close();
show('close', await closed);
try {
  new MessagePort();
} catch (error) {
  show('error', [error.name, error.code]);
}
try {
  new MessageChannel().port1.postMessage(() => {});
} catch (error) {
  show('uncloneable', error.name);
}
