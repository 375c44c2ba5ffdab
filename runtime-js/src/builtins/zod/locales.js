// zod's messages in all languages; loaded when `z.locales` is read (see lazyLocales in bundle.mjs).
export * from 'zod/v4/locales';
