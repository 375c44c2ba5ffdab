// Reads the CLDR pages of npm's `cldr-*-full` packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = ['cldr-dates-full', 'cldr-numbers-full', 'cldr-units-full', 'cldr-localenames-full', 'cldr-misc-full'];
const PAGES = /^(?:numbers|currencies|units|ca-\w+|dateFields|timeZoneNames|listPatterns|languages|territories|scripts|variants|localeDisplayNames)\.json$/;

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The names of all locales CLDR has pages for. */
export function localesOf(modules) {
  return readdirSync(join(modules, 'cldr-numbers-full/main'));
}

/** Every page of one locale, by the name of its file. */
export function readPages(modules, locale) {
  const pages = {};
  const packages = [...PACKAGES, ...readdirSync(modules).filter((name) => name.startsWith('cldr-cal-'))];
  for (const name of packages) {
    const folder = join(modules, name, 'main', locale);
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      if (PAGES.test(file)) pages[file.slice(0, -5)] = readJson(join(folder, file)).main[locale];
    }
  }
  return pages;
}

/** One page of `cldr-core/supplemental`. */
export function supplemental(modules, name) {
  return readJson(join(modules, 'cldr-core/supplemental', `${name}.json`)).supplemental;
}
