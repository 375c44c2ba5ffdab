//! Options of a worker, validated before it serves anything.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsString,
    net::SocketAddr,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use url::Url;

use crate::cli::{
    commands::{
        journal, mock_file,
        restrict::{CommandContext, restricted_all},
    },
    env,
    failure::WrongUsage,
    worker_args::WorkerArgs,
};
use lmthing_base::{diagnostic::Diagnostic, permission::Permissions};
use lmthing_providers::{ProviderContext, resolve};
use lmthing_serve::{LineSender, ServeOptions, are_here, reachable_by_others, resolve_address};
use lmthing_store::journal::Journal;
use lmthing_worker::{Registration, TOKEN_VARIABLE, check_key};

const JOURNAL_NAME: &str = "worker.db";

pub(super) struct Options {
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) journal: PathBuf,
    pub(super) warnings: Vec<String>,
}

impl Options {
    pub(super) async fn of(args: &WorkerArgs) -> Result<Self, WrongUsage> {
        let directory = std::env::current_dir().unwrap_or_default();
        let environment = env::with_files(&directory, &args.setup.env_file);
        if let Some(wrong) = environment.wrong {
            return Err(wrong);
        }
        let variables = environment.variables;
        check_model(args, &variables)?;
        for key in &args.identity_key {
            let hint = "a server with a private key to sign with prints the public one at its start";
            check_key(key).map_err(|problem| WrongUsage::new(format!("--identity-key {key}: {problem}"), hint))?;
        }
        let addresses = addresses(args).await?;
        // `JOURNAL_VARIABLE` is ignored: runs of a worker have other names than those of a terminal.
        let journal = match &args.journal {
            Some(path) => directory.join(path),
            None => journal::path(None, &[], &directory).with_file_name(JOURNAL_NAME),
        };
        Ok(Options { addresses, variables, journal, warnings: environment.problems })
    }

    /// Creates the journal early, to report errors.
    pub(super) fn make_journal(&self) -> Result<(), Box<Diagnostic>> {
        let made = Journal::create(&self.journal).and_then(|_| Journal::open_trusted(&self.journal));
        made.map(drop).map_err(|error| Box::new(error.into()))
    }

    /// The registration of `--register`, if given. `address` is where the worker listens.
    pub(super) fn registration(&self, args: &WorkerArgs, address: SocketAddr) -> Option<Registration> {
        let variable =
            |name: &str| self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let own = Url::parse(&format!("http://{address}")).ok();
        Some(Registration::new(args.register.clone()?, args.advertise.clone().or(own)?, variable))
    }

    /// The permissions of each file. If files are restricted, this also confines the process.
    pub(super) fn permissions(
        &self,
        args: &WorkerArgs,
        files: &[PathBuf],
    ) -> Result<HashMap<PathBuf, Permissions>, WrongUsage> {
        if !args.permissions.is_restricted() {
            return Ok(HashMap::new());
        }
        let of = |file: &Path| args.permissions.rights(file, &self.variables).map(Option::unwrap_or_default);
        let (all, each) = (of(Path::new(""))?, files.iter().map(|file| of(file)).collect::<Result<Vec<_>, _>>()?);
        let context = CommandContext {
            file: Path::new(""),
            arguments: &[],
            setup: &args.setup,
            record: None,
            replay: None,
            written: &[std::env::temp_dir()],
            journal: &self.journal,
            variables: &self.variables,
        };
        Ok(files.iter().cloned().zip(restricted_all(all, each, files, context)).collect())
    }
}

pub(super) fn serve_options(args: &WorkerArgs) -> Result<ServeOptions, Box<Diagnostic>> {
    let program = std::env::current_exe().map_err(|error| {
        Box::new(Diagnostic::new(format!(
            "cannot find the program to describe prompt files with, which is lmthing itself: {error}"
        )))
    })?;
    let mut describe: Vec<OsString> = Vec::new();
    describe.extend(args.setup.model.iter().map(|model| format!("--model={model}").into()));
    let files = args.setup.mock.iter().map(|path| ("--mock=", path));
    for (option, path) in files.chain(args.setup.env_file.iter().map(|path| ("--env-file=", path))) {
        let mut word = OsString::from(option);
        word.push(path);
        describe.push(word);
    }
    describe.extend(args.permissions.words().into_iter().map(OsString::from));
    // The receiver is dropped: only `describe` is used, which returns its errors.
    let (log, _) = LineSender::new();
    let hidden_variables = vec![TOKEN_VARIABLE.to_owned()];
    let is_restricted = args.permissions.is_restricted();
    let (paths, call) = (args.paths.clone(), Vec::new());
    Ok(ServeOptions { paths, program, call, describe, hidden_variables, is_restricted, log })
}

fn check_model(args: &WorkerArgs, variables: &[(String, String)]) -> Result<(), WrongUsage> {
    if let Some(mock) = &args.setup.mock {
        mock_file::read(mock)?;
    }
    let Some(model) = args.setup.model.as_deref().filter(|model| *model != "mock") else { return Ok(()) };
    let context = ProviderContext::new(Rc::new(variables.iter().cloned().collect::<BTreeMap<_, _>>()));
    resolve(model, &context).map(drop).map_err(|error| {
        let problem = Diagnostic::new(format!("-m, --model {model}: {}", error.message));
        WrongUsage::from(Box::new(Diagnostic { hint: error.hint, ..problem }))
    })
}

async fn addresses(args: &WorkerArgs) -> Result<Vec<SocketAddr>, WrongUsage> {
    let usage = |problem: Diagnostic| WrongUsage::from(Box::new(problem));
    let found = resolve_address("--listen", &args.listen).await.map_err(usage)?;
    if !args.open && args.identity_key.is_empty() && !are_here(&found) {
        let hint = "name the key that Restate signs its requests with, --identity-key publickeyv1_…; --open lets everybody in \
                    who reaches the address, such as in a network of containers";
        return Err(usage(reachable_by_others("--listen", &args.listen).with_hint(hint)));
    }
    let is_anywhere = found.iter().any(|address| address.ip().is_unspecified());
    if args.register.is_some() && args.advertise.is_none() && is_anywhere {
        let hint = format!("say where Restate reaches this worker: --advertise http://HOST:{}", found[0].port());
        return Err(WrongUsage::new(format!("--register: {} is no address to call", args.listen), hint));
    }
    Ok(found)
}

/// Files that are not in the map are unrestricted.
pub(super) fn lookup(found: HashMap<PathBuf, Permissions>) -> Arc<dyn Fn(&Path) -> Permissions + Send + Sync> {
    Arc::new(move |file| found.get(file).cloned().unwrap_or_default())
}
