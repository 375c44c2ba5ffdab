// Writes the locale data: `writeArchive(cldr, file)`. Length of the table, table, then groups of sections, each
// compressed as a whole. A line of the table is either the compressed length of the next group, or the name and length
// of a section (JSON) in the current group. `globals/intl/archive.rs` reads it.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { difference } from './difference.mjs';
import { sectionsOf } from './sections.mjs';
import { coreOf, zonesOf } from './supplemental.mjs';

/** CLDR lists a few locales with incomplete pages. */
const NEEDED_PAGES = ['numbers', 'currencies', 'units', 'ca-gregorian', 'dateFields', 'timeZoneNames', 'listPatterns', 'localeDisplayNames', 'languages', 'territories', 'scripts', 'variants'];

export function writeArchive(cldr, file) {
  const { parentLocale } = cldr.supplemental('parentLocales').parentLocales;
  const parentOf = (locale) => parentLocale[locale] ?? (locale.includes('-') ? locale.slice(0, locale.lastIndexOf('-')) : undefined);
  const known = new Map();
  const sections = (locale) => {
    if (!known.has(locale)) {
      const pages = cldr.pages(locale);
      known.set(locale, NEEDED_PAGES.every((name) => pages[name]) ? sectionsOf(pages) : undefined);
    }
    return known.get(locale);
  };
  const locales = cldr.locales.filter((locale) => sections(locale) !== undefined);
  const parents = Object.fromEntries(locales.map((locale) => [locale, parentOf(locale)]).filter(([, parent]) => locales.includes(parent)));
  const texts = new Map();
  for (const locale of locales) {
    for (const [name, own] of Object.entries(sections(locale))) {
      const inherited = parents[locale] === undefined ? undefined : sections(parents[locale])[name];
      const kept = difference(inherited ?? {}, own);
      if (kept !== undefined) texts.set(`${locale}/${name}`, kept);
    }
  }
  texts.set('core', coreOf(cldr, locales, parents));
  texts.set('zones', zonesOf(cldr));
  texts.set('eras', JSON.parse(readFileSync(new URL('eras.json', import.meta.url), 'utf8')));
  const groups = groupsOf([...texts].map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]));
  const blobs = groups.map((group) => compress(Buffer.concat(group.map(([, text]) => text))));
  const lines = groups.map((group, i) => `${blobs[i].length}\n${group.map(([name, text]) => `${name} ${text.length}\n`).join('')}`);
  const table = Buffer.from(lines.join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, ...blobs]));
}

/**
 * Uncompressed bytes of a group. Larger groups compress better, as locales share text; but a script that formats a
 * number waits 0.5 ms for each group that it reads.
 */
const GROUP = 128 << 10;

/** Sections of a kind are adjacent, sorted by locale, and cut into groups. */
function groupsOf(sections) {
  const kind = ([name]) => name.split('/')[1] ?? '';
  const groups = [];
  let size = Infinity;
  for (const section of sections.sort((a, b) => compare(kind(a), kind(b)) || compare(a[0], b[0]))) {
    size += section[1].length;
    if (size > GROUP || kind(groups.at(-1)[0]) !== kind(section)) {
      groups.push([]);
      size = section[1].length;
    }
    groups.at(-1).push(section);
  }
  return groups;
}

const compare = (a, b) => (a < b ? -1 : Number(a > b));

/** Quality 11 would take twenty times as long and save a tenth. */
const compress = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
