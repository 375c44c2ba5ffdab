// zod's messages in every language; `z.locales` loads this module when it is read (see lazyLocales in bundle.mjs).
export * from 'zod/v4/locales';
