// Writes the locale data: `writeArchive(cldr, file)`. The archive begins with the length of its table, whose lines
// are a name and the length of its section; then come the sections, compressed JSON each. `globals/intl/archive.rs` reads it.
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { difference } from './difference.mjs';
import { sectionsOf } from './sections.mjs';
import { coreOf, zonesOf } from './supplemental.mjs';

/** CLDR lists a few locales without giving them all of the pages. */
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
  const blobs = [...texts].map(([name, value]) => [name, deflateRawSync(JSON.stringify(value), { level: 9 })]);
  const table = Buffer.from(blobs.map(([name, blob]) => `${name} ${blob.length}\n`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, ...blobs.map(([, blob]) => blob)]));
}
