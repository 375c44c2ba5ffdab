//! Completion of argument values in shells: prompt files, models, inputs, runs.

use std::{collections::BTreeMap, ffi::OsStr, path::Path, rc::Rc};

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};

use super::{commands::prompt_file::is_prompt_file, docs, env};
use lmthing_base::cost;
use lmthing_providers::{ProviderContext, list_models};
use lmthing_store::journal::{JOURNAL_VARIABLE, Journal, RunInfo, journal_path};

/// A prompt file, followed by its input: texts, or `@path` for the text of a file.
pub(super) struct FileAndInput;

pub(super) struct PromptFiles;

pub(super) struct FilesEndingIn(pub(super) &'static [&'static str]);

pub(super) const JSON_FILES: FilesEndingIn = FilesEndingIn(&[".json"]);

/// JSON, `@FILE` or `-`; only the path can be completed.
pub(super) struct AtFile;

/// Runs of the journal, and `last`.
pub(super) struct RunIds;

/// Pages of the documentation.
pub(super) struct Topics;

/// Aliases and `provider:`; after the colon the models with known prices.
pub(super) struct Models;

impl ValueCompleter for FileAndInput {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        PromptFiles.complete(current)
    }

    fn complete_at(&self, index: usize, current: &OsStr) -> Vec<CompletionCandidate> {
        if index == 0 { PromptFiles.complete(current) } else { AtFile.complete(current) }
    }
}

impl ValueCompleter for PromptFiles {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        PathCompleter::any().filter(|path| path.is_dir() || is_prompt_file(path)).complete(current)
    }
}

impl ValueCompleter for FilesEndingIn {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let endings = self.0;
        let has_ending = move |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            endings.iter().any(|ending| name.ends_with(ending))
        };
        PathCompleter::any().filter(move |path| path.is_dir() || has_ending(path)).complete(current)
    }
}

impl ValueCompleter for AtFile {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        match current.to_str().and_then(|text| text.strip_prefix('@')) {
            Some(path) => {
                let found = PathCompleter::any().complete(OsStr::new(path));
                found.into_iter().map(|candidate| candidate.add_prefix("@")).collect()
            }
            None => PathCompleter::any().complete(current),
        }
    }
}

impl ValueCompleter for Models {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else { return Vec::new() };
        let names = match current.split_once(':') {
            Some((provider, _)) => models_of(provider),
            None => aliases_and_providers(),
        };
        names.into_iter().filter(|name| name.starts_with(current)).map(CompletionCandidate::new).collect()
    }
}

impl ValueCompleter for Topics {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else { return Vec::new() };
        let short = |topic: &&'static str| topic.rsplit('/').next().unwrap_or(topic).starts_with(current);
        let fits = |topic: &&'static str| topic.starts_with(current) || short(topic);
        docs::topics().into_iter().filter(fits).map(CompletionCandidate::new).collect()
    }
}

impl ValueCompleter for RunIds {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else { return Vec::new() };
        let directory = std::env::current_dir().unwrap_or_default();
        let (variables, _) = env::variables(&directory);
        let variable = variables.iter().find(|(name, _)| name == JOURNAL_VARIABLE).map(|(_, value)| value.as_str());
        let journal = Journal::read(&journal_path(None, variable, &directory));
        let runs = journal.and_then(|journal| journal.runs()).unwrap_or_default();
        let of_run = |run: &RunInfo| {
            let about = format!("{} {}", run.status.as_str(), run.file.display());
            CompletionCandidate::new(&run.id).help(Some(about.into()))
        };
        let last = CompletionCandidate::new("last").help(Some("the one that began last".into()));
        let all = std::iter::once(last).chain(runs.iter().map(of_run));
        all.filter(|candidate| candidate.get_value().to_str().is_some_and(|id| id.starts_with(current))).collect()
    }
}

fn models_of(provider: &str) -> Vec<String> {
    let models = cost::listed_models(&today()).into_iter().filter(|model| model.provider == provider);
    models.map(|model| format!("{provider}:{}", model.model_id)).collect()
}

fn aliases_and_providers() -> Vec<String> {
    let (variables, _) = env::variables(&std::env::current_dir().unwrap_or_default());
    let variables: BTreeMap<String, String> = variables.into_iter().collect();
    let list = list_models(&ProviderContext::new(Rc::new(variables)));
    let aliases = list.aliases.into_iter().map(|alias| alias.name);
    let providers = list.providers.into_iter().map(|provider| format!("{}:", provider.name));
    aliases.chain(["local".to_owned()]).chain(providers).collect()
}

fn today() -> String {
    jiff::Timestamp::now().strftime("%F").to_string()
}
