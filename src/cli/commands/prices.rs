//! `lmthing models --prices` (docs/reference/cost.md): the user's prices and the table, as text or JSON.

use std::{fmt::Write, path::Path};

use serde_json::{Value, json};

use crate::cli::{ExitCode, Printer, failure::WrongUsage, small_args::ModelsArgs};
use lmthing_base::{
    cost::{BatchPrice, ListedModel, OwnPrices, PRICES_VARIABLE, PriceSource, Rates, listed_models, price_source},
    diagnostic::{Diagnostic, closest},
};
use lmthing_providers::BUILT_IN;
use lmthing_system::{
    files::FileReporter,
    user_file::{self, MAX_SETTINGS},
};

struct Row {
    provider: String,
    model_id: String,
    /// Input, cached input, cache writes, output.
    rates: [Option<f64>; 4],
    tiers: Vec<(&'static str, [Option<f64>; 4])>,
    changes_above: Option<u64>,
    batch: Option<BatchPrice>,
    /// US dollars for 1000 searches of the provider's own.
    web_search: Option<f64>,
    is_own: bool,
}

const KEYS: [&str; 4] = ["input", "cachedInput", "cacheWrite", "output"];

/// Prints the models whose name contains all search terms; without terms, the user's own and those of built-in providers.
pub(super) fn run(args: &ModelsArgs, variable: &str, printer: &Printer) -> ExitCode {
    let own = match OwnPrices::from_variable(variable, |path| user_file::read_text(path.as_ref(), MAX_SETTINGS)) {
        Ok(own) => own,
        Err(error) => {
            printer.diagnostic(&Diagnostic::new(error.to_string()));
            return ExitCode::Usage;
        }
    };
    let rows = rows(&own, &jiff::Timestamp::now().strftime("%F").to_string());
    let found: Vec<&Row> = rows.iter().filter(|row| row.has(&args.words)).collect();
    if found.is_empty() && !args.words.is_empty() {
        printer.diagnostic(&nothing_found(&args.words, &rows));
        return ExitCode::File;
    }
    let text = if args.json {
        format!("{:#}\n", to_json(&found, &price_source()))
    } else if args.words.is_empty() {
        let (shown, others): (Vec<&Row>, Vec<&Row>) =
            found.into_iter().partition(|row| row.is_own || row.is_built_in());
        to_text(&shown, &price_source()) + &of_others(&others)
    } else {
        to_text(&found, &price_source())
    };
    printer.text(&text);
    printer.flush();
    ExitCode::Done
}

/// The user's prices first. They replace prices of the table; one of searches alone leaves those of tokens.
fn rows(own: &OwnPrices, today: &str) -> Vec<Row> {
    let mut table: Vec<Row> = listed_models(today).into_iter().map(Row::of_table).collect();
    let mut mine = Vec::new();
    for (model, entry) in own.iter() {
        let (provider, model_id) = model.split_once(':').unwrap_or_default();
        let known = table.iter().position(|row| row.provider == provider && row.model_id == model_id);
        let known = known.map(|index| table.remove(index));
        let (rates, changes_above) = match (&entry.tokens, known) {
            (Some(tokens), _) => (listed(&tokens.standard), None),
            (None, Some(known)) => (known.rates, known.changes_above),
            (None, None) => ([None; 4], None),
        };
        let tiers = entry.tokens.as_ref().map(|tokens| tokens.tiers.as_slice()).unwrap_or_default();
        mine.push(Row {
            provider: provider.to_owned(),
            model_id: model_id.to_owned(),
            rates,
            tiers: tiers.iter().map(|(tier, rates)| (tier.name(), listed(rates))).collect(),
            changes_above,
            batch: entry.batch,
            web_search: entry.web_search,
            is_own: true,
        });
    }
    mine.into_iter().chain(table).collect()
}

fn listed(rates: &Rates) -> [Option<f64>; 4] {
    [rates.input, rates.cached_input, rates.cache_write, rates.output].map(Some)
}

impl Row {
    fn of_table(model: ListedModel) -> Self {
        Row {
            provider: model.provider,
            model_id: model.model_id,
            rates: model.rates,
            tiers: Vec::new(),
            changes_above: model.changes_above,
            batch: None,
            web_search: None,
            is_own: false,
        }
    }

    /// What the columns of the text do not show.
    fn notes(&self) -> String {
        let own = self.is_own.then(|| "own".to_owned());
        let tiers = self.tiers.iter().map(|(tier, _)| (*tier).to_owned());
        let batch = self.batch.map(|batch| match batch {
            BatchPrice::Factor(factor) => format!("batches times {}", amount(factor)),
            BatchPrice::Rates(_) => "batch".to_owned(),
        });
        let searches = self.web_search.map(|price| format!("{} per 1000 searches", amount(price)));
        let above = self.changes_above.map(|tokens| format!("other prices above {tokens} tokens of input"));
        own.into_iter().chain(tiers).chain(batch).chain(searches).chain(above).collect::<Vec<_>>().join(", ")
    }

    fn model(&self) -> String {
        format!("{}:{}", self.provider, self.model_id)
    }

    fn has(&self, words: &[String]) -> bool {
        let model = self.model().to_lowercase();
        words.iter().all(|word| model.contains(&word.to_lowercase()))
    }

    fn is_built_in(&self) -> bool {
        BUILT_IN.iter().any(|provider| provider.name == self.provider)
    }
}

fn nothing_found(words: &[String], rows: &[Row]) -> Diagnostic {
    let problem =
        Diagnostic::new(format!("no price is known for a model with '{}' in its name", words.join("' and '")));
    let names = rows.iter().flat_map(|row| [row.model_id.as_str(), row.provider.as_str()]);
    match words.iter().find_map(|word| closest(word, names.clone())) {
        Some(near) => problem.with_hint(format!("Did you mean '{near}'?")),
        None => problem.with_hint(format!("{PRICES_VARIABLE} or config.prices can say what a model costs.")),
    }
}

fn to_text(rows: &[&Row], source: &PriceSource) -> String {
    let checked = source.checked.as_ref().map(|day| format!(", last checked {day}")).unwrap_or_default();
    let mut text = format!("US dollars per million tokens (genai-prices {}{checked})\n", source.version);
    let width = rows.iter().map(|row| row.model().chars().count()).max().unwrap_or_default().max(5);
    // Writing to a `String` cannot fail.
    let _ =
        writeln!(text, "\n{:width$}  {:>9}  {:>9}  {:>11}  {:>9}", "model", "input", "cached", "cache write", "output");
    for row in rows {
        let [input, cached, write, output] = row.rates.map(|rate| rate.map_or_else(|| "-".to_owned(), amount));
        let _ = write!(text, "{:width$}  {input:>9}  {cached:>9}  {write:>11}  {output:>9}", row.model());
        let notes = row.notes();
        let _ = writeln!(text, "{}{notes}", if notes.is_empty() { "" } else { "  " });
    }
    text
}

/// Summarizes the models that a list without search terms omits: those of services that only custom providers use.
fn of_others(rows: &[&Row]) -> String {
    let mut providers: Vec<&str> = rows.iter().map(|row| row.provider.as_str()).collect();
    providers.dedup();
    format!(
        "\n{} more models of {}\n`lmthing models --prices WORD` lists those with WORD in provider:model.\n",
        rows.len(),
        providers.join(", ")
    )
}

fn amount(price: f64) -> String {
    let text = format!("{price:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn by_key(rates: [Option<f64>; 4]) -> Value {
    KEYS.iter().zip(rates).map(|(key, rate)| ((*key).to_owned(), json!(rate))).collect()
}

fn to_json(rows: &[&Row], source: &PriceSource) -> Value {
    let row = |row: &&Row| {
        let mut entry = json!({ "model": row.model(), "own": row.is_own });
        for (key, rate) in KEYS.iter().zip(row.rates) {
            entry[*key] = json!(rate);
        }
        for (tier, rates) in &row.tiers {
            entry[*tier] = by_key(*rates);
        }
        match row.batch {
            Some(BatchPrice::Factor(factor)) => entry["batch"] = json!(factor),
            Some(BatchPrice::Rates(rates)) => entry["batch"] = by_key(listed(&rates)),
            None => {}
        }
        if let Some(price) = row.web_search {
            entry["webSearch"] = json!(price);
        }
        if let Some(tokens) = row.changes_above {
            entry["changesAbove"] = json!(tokens);
        }
        entry
    };
    json!({
        "source": { "name": "genai-prices", "version": source.version, "checked": source.checked },
        "unit": "USD per million tokens",
        "prices": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The prices of the environment variable, which may name a file.
pub(super) fn own_prices(variables: &[(String, String)], reporter: &FileReporter) -> Result<OwnPrices, WrongUsage> {
    let Some((_, value)) = variables.iter().find(|(name, _)| name == PRICES_VARIABLE) else {
        return Ok(OwnPrices::default());
    };
    let prices = OwnPrices::from_variable(value, |path| {
        reporter.note_read(Path::new(path));
        user_file::read_text(Path::new(path), MAX_SETTINGS)
    });
    prices.map_err(|error| WrongUsage::plain(error.to_string()))
}
