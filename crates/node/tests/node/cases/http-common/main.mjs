// The parser of `_http_common`, as packages that imitate connections use it.
import common, { HTTPParser } from '_http_common';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const show = (name, value) => console.log(JSON.stringify({ [name]: value }));
show('exports', [require('_http_common') === common, common.CRLF, common._checkIsHttpToken('a b'), common._checkInvalidHeaderChar('a\0'), common.chunkExpression.test('gzip, chunked'), common.continueExpression.test('100-Continue'), HTTPParser.REQUEST, HTTPParser.RESPONSE]);

function parse(kind, ...texts) {
  const seen = [];
  const parser = new HTTPParser();
  parser.initialize(kind, {});
  parser[HTTPParser.kOnHeaders] = (headers) => seen.push(['headers', headers]);
  parser[HTTPParser.kOnHeadersComplete] = (major, minor, headers, method, url, status, message, upgrade, keepsAlive) => {
    seen.push([major, minor, headers, typeof method, common.methods[method], url, status, message, upgrade, keepsAlive]);
  };
  parser[HTTPParser.kOnBody] = (bytes) => seen.push(`body ${Buffer.from(bytes)}`);
  parser[HTTPParser.kOnMessageComplete] = () => seen.push('complete');
  for (const text of texts) {
    const read = parser.execute(Buffer.from(text));
    seen.push(read instanceof Error ? [read.code, read.reason] : read);
  }
  const end = parser.finish();
  seen.push(end?.code ?? 'finished');
  parser.remove();
  parser.free();
  return seen;
}
show('post', parse(HTTPParser.REQUEST, 'POST /p HTTP/1.1\r\nHost: a\r\nContent-', 'Length: 3\r\n\r\nab', 'c'));
show('get', parse(HTTPParser.REQUEST, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
show('chunked', parse(HTTPParser.REQUEST, 'PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n'));
show('bad', parse(HTTPParser.REQUEST, 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'));
show('cut', parse(HTTPParser.REQUEST, 'GET / HTTP/1.1\r\nHost: a\r\n'));
show('response', parse(HTTPParser.RESPONSE, 'HTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok'));
show('until the end', parse(HTTPParser.RESPONSE, 'HTTP/1.1 200 OK\r\n\r\nok', ' more'));
show('empty', parse(HTTPParser.RESPONSE, 'HTTP/1.1 204 None\r\n\r\n'));
