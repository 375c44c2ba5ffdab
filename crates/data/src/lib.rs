//! Tables that are made at build time from the data of packages, as compressed archives.

/// Locale data for `Intl`, from CLDR.
pub static LOCALES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/locales.bin"));

/// Prices of models, from the crate `genai-prices`.
pub static PRICES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prices.bin"));

/// The declarations of the language that TypeScript's checker reads.
pub static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));
