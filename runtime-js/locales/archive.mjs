// Writes the locale data: `writeArchive(node_modules, file)`. The archive begins with the length of its table, whose lines
// are a name and the length of its section; then come the sections, compressed JSON each. `globals/intl/archive.rs` reads it.
import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { difference } from './difference.mjs';
import { LANGUAGES } from './languages.mjs';
import { localesOf, readJson, readPages, supplemental } from './read-cldr.mjs';
import { sectionsOf } from './sections.mjs';
import { coreOf, zonesOf } from './supplemental.mjs';

/** CLDR lists a few locales without giving them all of the pages. */
const NEEDED_PAGES = ['numbers', 'currencies', 'units', 'ca-gregorian', 'dateFields', 'timeZoneNames', 'listPatterns', 'localeDisplayNames', 'languages', 'territories', 'scripts', 'variants'];

export function writeArchive(modules, file) {
  const { parentLocale } = supplemental(modules, 'parentLocales').parentLocales;
  const parentOf = (locale) => parentLocale[locale] ?? (locale.includes('-') ? locale.slice(0, locale.lastIndexOf('-')) : undefined);
  const known = new Map();
  const sections = (locale) => {
    if (!known.has(locale)) {
      const pages = readPages(modules, locale);
      known.set(locale, NEEDED_PAGES.every((name) => pages[name]) ? sectionsOf(pages) : undefined);
    }
    return known.get(locale);
  };
  const wanted = localesOf(modules).filter((locale) => locale === 'und' || LANGUAGES.includes(locale.split('-')[0]));
  const locales = wanted.filter((locale) => sections(locale) !== undefined);
  const parents = Object.fromEntries(locales.map((locale) => [locale, parentOf(locale)]).filter(([, parent]) => locales.includes(parent)));
  const texts = new Map();
  for (const locale of locales) {
    for (const [name, own] of Object.entries(sections(locale))) {
      const inherited = parents[locale] === undefined ? undefined : sections(parents[locale])[name];
      const kept = difference(inherited ?? {}, own);
      if (kept !== undefined) texts.set(`${locale}/${name}`, kept);
    }
  }
  texts.set('core', coreOf(modules, locales, parents));
  texts.set('zones', zonesOf(modules));
  texts.set('eras', readJson(new URL('eras.json', import.meta.url)));
  const blobs = [...texts].map(([name, value]) => [name, deflateRawSync(JSON.stringify(value), { level: 9 })]);
  const table = Buffer.from(blobs.map(([name, blob]) => `${name} ${blob.length}\n`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  writeFileSync(file, Buffer.concat([length, table, ...blobs.map(([, blob]) => blob)]));
}
