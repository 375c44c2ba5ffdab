// A registry of npm packages on 127.0.0.1, with the archives of one folder: `startRegistry(folder)`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

export async function startRegistry(folder) {
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz')).map((name) => archiveOf(join(folder, name)));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1).split('?')[0]);
    const file = archives.find(({ manifest }) => path === `files/${manifest.name}.tgz`);
    if (file) return response.end(file.bytes);
    const found = archives.filter(({ manifest }) => manifest.name === path);
    if (found.length === 0) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(documentOf(found[0], `http://${request.headers.host}`)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

function archiveOf(path) {
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }));
  return { manifest, bytes: readFileSync(path) };
}

function documentOf({ manifest, bytes }, origin) {
  const dist = {
    tarball: `${origin}/files/${manifest.name}.tgz`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
  };
  const { name, version } = manifest;
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } }, time: { [version]: '2020-01-01T00:00:00.000Z' } };
}
