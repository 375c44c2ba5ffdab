// Stands before several workers: hands each connection to the next one that takes it. It is enough to try things out; elsewhere a
// load balancer that is there already does this.
//
//   node balancer.mjs LISTEN_HOST:PORT WORKER_HOST:PORT...

import net from 'node:net';

const [here, ...workers] = process.argv.slice(2).map((address) => {
  const [, host, port] = address.match(/^(.*):(\d+)$/);
  return { host, port: Number(port) };
});

let next = 0;
function connect(inward, tries) {
  if (tries === 0 || inward.destroyed) return inward.destroy();
  const outward = net.connect(workers[next++ % workers.length]);
  outward.once('error', () => connect(inward, tries - 1));
  outward.once('connect', () => {
    outward.removeAllListeners('error');
    // The end of one is the end of both.
    for (const [one, other] of [[inward, outward], [outward, inward]]) {
      one.on('error', () => {}).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
}

net.createServer((inward) => {
  inward.on('error', () => {});
  connect(inward, workers.length);
}).listen(here);
