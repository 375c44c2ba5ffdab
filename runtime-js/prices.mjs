// Writes the price table from the crate genai-prices: `writePrices(root, file)`. The crate can include its data itself,
// uncompressed and decoded as a whole, which takes 0.1 s and 16 MB; this archive is a tenth of the size, and a run
// reads only its own provider. `cost/archive.rs` reads it: length of the table, table (provider id and section length
// per line), sections as compressed JSON.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { fileOfCrate, versionOfCrate } from './crates.mjs';

const CRATE = 'genai-prices';
const DATA = join('data', 'prices.json');

/** The keys needed for matching and arithmetic, without comments and audio prices. */
const PROVIDER_KEYS = ['id', 'name', 'api_pattern', 'fallback_model_providers'];
const MODEL_KEYS = ['id', 'name', 'match', 'prices'];

export function writePrices(root, file) {
  const version = versionOfCrate(root, CRATE);
  const text = readFileSync(fileOfCrate(root, CRATE, DATA), 'utf8');
  const providers = JSON.parse(text).map((provider) => ({
    ...pick(provider, PROVIDER_KEYS),
    models: provider.models.filter(isPriced).map((model) => pick(model, MODEL_KEYS)),
  }));
  // The index has providers without models, for lookup by address.
  const index = { version, checked: lastCheck(text), providers: providers.map((provider) => ({ ...provider, models: [] })) };
  const sections = [['index', index], ...providers.map((provider) => [provider.id, [provider]])];
  const blobs = sections.map(([name, value]) => [name, deflateRawSync(JSON.stringify(value), { level: 9 })]);
  const table = Buffer.from(blobs.map(([name, blob]) => `${name} ${blob.length}\n`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, ...blobs.map(([, blob]) => blob)]));
}

const pick = (object, keys) => Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key]]));

/** Whether a model has token prices: one with audio prices only would seem to be free. */
function isPriced({ prices }) {
  const lists = Array.isArray(prices) ? prices.map((conditional) => conditional.prices) : [prices];
  return lists.some((list) => 'input_mtok' in list || 'output_mtok' in list);
}

/** The table has no date; its comments contain the dates of price checks. */
function lastCheck(text) {
  const dates = [...text.matchAll(/(?:verified|checked|observed)[^."]{0,60}?(20\d\d-\d\d-\d\d)/gi)].map(([, date]) => date);
  return dates.sort().at(-1) ?? null;
}
