//! `lmthing models` (docs/reference/command-line.md): lists providers and aliases as text or JSON.

use std::{collections::BTreeMap, fmt::Write, rc::Rc};

use serde_json::json;

use crate::cli::{
    ExitCode, Printer,
    commands::{local_models, prices},
    env,
    small_args::ModelsArgs,
};
use lmthing_base::cost::PRICES_VARIABLE;
use lmthing_providers::{EXAMPLE_MODEL, ModelList, ProviderContext, ProviderInfo, list_models};

/// Values of variables are never shown.
pub(in crate::cli) fn run(args: &ModelsArgs, printer: &Printer) -> ExitCode {
    let directory = std::env::current_dir().unwrap_or_default();
    let (variables, problems) = env::variables(&directory);
    for problem in problems {
        printer.stderr(&format!("Warning: {problem}\n"));
    }
    let variables: BTreeMap<String, String> = variables.into_iter().collect();
    if args.prices {
        return prices::run(args, variables.get(PRICES_VARIABLE).map_or("", String::as_str), printer);
    }
    let context = ProviderContext::new(Rc::new(variables));
    if args.local {
        return local_models::run(args, &context, printer);
    }
    let list = list_models(&context);
    if args.json {
        printer.text(&format!("{:#}\n", to_json(&list)));
    } else {
        printer.text_wrapped(&to_text(&list));
    }
    printer.flush();
    ExitCode::Done
}

fn to_text(list: &ModelList) -> String {
    let mut text = String::from("Providers\n");
    let width = list.providers.iter().map(|provider| provider.name.len()).max().unwrap_or_default();
    for provider in &list.providers {
        let state = match provider.configured {
            true if provider.needs_no_key => "no key needed",
            true => "configured",
            false => "not configured",
        };
        let _ = writeln!(text, "  {:width$}  {state}{}", provider.name, advice(provider));
    }
    text.push_str("\nAliases\n");
    if list.aliases.is_empty() {
        let _ = writeln!(text, "  none; LM_MODEL_FAST={EXAMPLE_MODEL} makes the alias 'fast'");
    }
    for alias in &list.aliases {
        let _ = match &alias.target {
            Ok(target) => writeln!(text, "  {}  {target}  ({})", alias.name, alias.variable),
            Err(problem) => writeln!(text, "  {}  wrong: {problem}  ({})", alias.name, alias.variable),
        };
    }
    text
}

fn advice(provider: &ProviderInfo) -> String {
    if provider.configured {
        return String::new();
    }
    // Without the value, which may contain a password.
    if let Some(variable) = &provider.wrong {
        return format!("  {variable} is no address; it must begin with http:// or https://");
    }
    let missing = provider.variables.iter().filter(|variable| !variable.set && !variable.optional);
    let missing: Vec<&str> = missing.map(|variable| variable.name.as_str()).collect();
    let keys = provider.get_key_at.map(|place| format!(" (keys: {place})")).unwrap_or_default();
    format!("  set {}{keys}", missing.join(", "))
}

fn to_json(list: &ModelList) -> serde_json::Value {
    let providers: Vec<_> = list
        .providers
        .iter()
        .map(|provider| {
            let variables: Vec<_> = provider
                .variables
                .iter()
                .map(|variable| json!({ "name": variable.name, "set": variable.set }))
                .collect();
            let mut entry = json!({
                "name": provider.name,
                "custom": provider.custom,
                "configured": provider.configured,
                "variables": variables,
            });
            if let Some(variable) = &provider.wrong {
                entry["wrong"] = json!(variable);
            }
            entry
        })
        .collect();
    let aliases: Vec<_> = list
        .aliases
        .iter()
        .map(|alias| match &alias.target {
            Ok(target) => json!({ "name": alias.name, "variable": alias.variable, "model": target }),
            Err(problem) => json!({ "name": alias.name, "variable": alias.variable, "error": problem.message }),
        })
        .collect();
    json!({ "providers": providers, "aliases": aliases })
}
