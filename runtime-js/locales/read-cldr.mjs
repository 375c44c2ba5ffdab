// Reads the CLDR pages of npm's `cldr-*-full` packages.
import { LANGUAGES } from './languages.mjs';
import { readPackages } from './packages.mjs';

const PAGE = /^cldr-[\w-]+\/main\/([\w-]+)\/(numbers|currencies|units|ca-\w+|dateFields|timeZoneNames|listPatterns|languages|territories|scripts|variants|localeDisplayNames)\.json$/;
const SHARED = /^cldr-(?:core|bcp47)\/.*\.json$/;

const isWanted = (locale) => locale === 'und' || LANGUAGES.includes(locale.split('-')[0]);

/** CLDR without the languages that lmthing does not know. */
export class Cldr {
  #files;
  /** The paths of each locale's pages. */
  #locales = new Map();

  /** Downloads go to `folder`, and from there again. */
  constructor(folder) {
    this.#files = readPackages(folder, (path) => SHARED.test(path) || isWanted(PAGE.exec(path)?.[1] ?? ''));
    for (const path of this.#files.keys()) {
      const [, locale, page] = PAGE.exec(path) ?? [];
      if (locale === undefined) continue;
      if (!this.#locales.has(locale)) this.#locales.set(locale, new Map());
      this.#locales.get(locale).set(page, path);
    }
  }

  /** One file: `cldr-core/defaultContent.json`. */
  read(path) {
    return JSON.parse(this.#files.get(path));
  }

  /** The names of the locales there are pages for. */
  get locales() {
    return [...this.#locales.keys()].sort();
  }

  /** Every page of one locale, by the name of its file. */
  pages(locale) {
    return Object.fromEntries([...this.#locales.get(locale)].map(([page, path]) => [page, this.read(path).main[locale]]));
  }

  /** One page of `cldr-core/supplemental`. */
  supplemental(name) {
    return this.read(`cldr-core/supplemental/${name}.json`).supplemental;
  }
}
