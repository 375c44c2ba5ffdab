// Reads CLDR pages from npm's `cldr-*-full` packages.
import { LANGUAGES } from './languages.mjs';
import { readPackages } from './packages.mjs';

const PAGE = /^cldr-[\w-]+\/main\/([\w-]+)\/(numbers|currencies|units|ca-\w+|dateFields|timeZoneNames|listPatterns|languages|territories|scripts|variants|localeDisplayNames)\.json$/;
const SHARED = /^cldr-(?:core|bcp47)\/.*\.json$/;

const isWanted = (locale) => locale === 'und' || LANGUAGES.includes(locale.split('-')[0]);

/** CLDR, restricted to the supported languages. */
export class Cldr {
  #files;
  /** The paths of each locale's pages. */
  #locales = new Map();

  /** Packages are downloaded to `folder`. */
  constructor(folder) {
    this.#files = readPackages(folder, (path) => SHARED.test(path) || isWanted(PAGE.exec(path)?.[1] ?? ''));
    for (const path of this.#files.keys()) {
      const [, locale, page] = PAGE.exec(path) ?? [];
      if (locale === undefined) continue;
      if (!this.#locales.has(locale)) this.#locales.set(locale, new Map());
      this.#locales.get(locale).set(page, path);
    }
  }

  /** `path` is like `cldr-core/defaultContent.json`. */
  read(path) {
    return JSON.parse(this.#files.get(path));
  }

  /** Locales that have pages. */
  get locales() {
    return [...this.#locales.keys()].sort();
  }

  /** All pages of a locale, by file name. */
  pages(locale) {
    return Object.fromEntries([...this.#locales.get(locale)].map(([page, path]) => [page, this.read(path).main[locale]]));
  }

  supplemental(name) {
    return this.read(`cldr-core/supplemental/${name}.json`).supplemental;
  }
}
