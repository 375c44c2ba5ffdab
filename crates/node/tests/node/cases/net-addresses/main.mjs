// Lists of addresses, and addresses as data.
import net from 'node:net';

const t = (name, run) => {
  try {
    console.log(name, run());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const list = new net.BlockList();
list.addAddress('1.2.3.4');
list.addRange('10.0.0.1', '10.0.0.9');
list.addSubnet('8592:757c:efae:4e45::', 64, 'ipv6');
list.addSubnet('192.168.0.0', 16);
list.addAddress('::ffff:9.9.9.9', 'ipv6');
t('rules', () => list.rules);
t('list', () => list);
t('nested', () => ({ a: { list } }));
const asked = [['1.2.3.4'], ['1.2.3.4', 'ipv6'], ['::ffff:1.2.3.4', 'ipv6'], ['::ffff:102:304', 'ipv6'], ['10.0.0.5'], ['10.0.0.10'], ['8592:757c:efae:4e45:fb5d:d62a:0d00:8e17', 'ipv6'], ['nope'], ['192.168.3.4', 'IPv4'], ['9.9.9.9'], ['::1', 'ipv6']];
for (const [address, family] of asked) t(`${address} ${family}`, () => list.check(address, family));
t('no address', () => list.addAddress('x'));
t('no family', () => list.addAddress('1.1.1.1', 'ipv5'));
t('backwards', () => list.addRange('10.0.0.9', '10.0.0.1'));
t('prefix', () => list.addSubnet('1.1.1.1', 33));
t('number', () => list.addAddress(5));
t('check number', () => list.check(5));
t('as object', () => list.check(new net.SocketAddress({ address: '1.2.3.4' })));
t('address', () => new net.SocketAddress({ address: '1.1.1.1', port: 5 }));
t('default', () => [new net.SocketAddress(), JSON.stringify(new net.SocketAddress()), new net.SocketAddress({ family: 'IPv6' }).family]);
t('flow label', () => new net.SocketAddress({ flowlabel: -1 }));
t('bad', () => new net.SocketAddress({ address: 'zz' }));
console.log(net.BlockList.name, net.SocketAddress.name, typeof net.BlockList.isBlockList);
