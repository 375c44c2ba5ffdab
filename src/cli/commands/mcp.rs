//! `lmthing mcp` (docs/reference/mcp.md). Standard output belongs to the protocol; everything else is printed to
//! standard error.

use std::{collections::BTreeMap, ffi::OsString, io, net::SocketAddr, path::Path, rc::Rc, sync::Arc};

use super::{in_event_loop, journal, mock_file};
use crate::cli::{
    ExitCode, Printer, env, failure::WrongUsage, interrupt::Interrupts, mcp_args::McpArgs,
    standard_streams::standard_streams, stderr_thread::StderrThread,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_providers::{ProviderContext, resolve};
use lmthing_serve::{
    Catalog, LineSender, PromptFiles, ServeOptions,
    protocol::{BearerToken, HttpServer, serve_stdio},
};
use lmthing_store::journal::Journal;

pub(in crate::cli) fn run(args: &McpArgs, printer: &Printer) -> ExitCode {
    in_event_loop(serve(args, printer), printer)
}

async fn serve(args: &McpArgs, printer: &Printer) -> ExitCode {
    // First, so that an early signal still ends calls.
    let mut interrupts = Interrupts::listen();
    let stderr_thread = StderrThread::start(false);
    let log = &stderr_thread.log;
    let mut catalog = None;
    let serve = async {
        let transport = ServerTransport::of(args).await?;
        let files = Catalog::start(options(args, log.clone())?).await?;
        catalog = Some(files.clone());
        transport.serve(files, args, (log, printer)).await
    };
    let ended = tokio::select! {
        biased;
        signal = interrupts.next() => Ok(ExitCode::Interrupted(signal)),
        ended = serve => ended.map(|()| ExitCode::Done),
    };
    if let Some(catalog) = catalog {
        catalog.close().await;
    }
    interrupts.ignore();
    let is_written = stderr_thread.end().await;
    ended.unwrap_or_else(|ServeError { code, problem }| {
        if is_written {
            printer.diagnostic(&problem);
        }
        code
    })
}

struct ServeError {
    code: ExitCode,
    problem: Box<Diagnostic>,
}

impl From<WrongUsage> for ServeError {
    fn from(wrong: WrongUsage) -> Self {
        ServeError { code: ExitCode::Usage, problem: Box::new(wrong.into()) }
    }
}

impl From<Box<Diagnostic>> for ServeError {
    fn from(problem: Box<Diagnostic>) -> Self {
        ServeError { code: ExitCode::File, problem }
    }
}

impl From<Diagnostic> for ServeError {
    fn from(problem: Diagnostic) -> Self {
        ServeError::from(Box::new(problem))
    }
}

enum ServerTransport {
    StandardStreams,
    Http(Vec<SocketAddr>, Option<BearerToken>),
}

impl ServerTransport {
    async fn of(args: &McpArgs) -> Result<Self, ServeError> {
        let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.calls.setup.env_file);
        if let Some(wrong) = environment.wrong {
            return Err(wrong.into());
        }
        check_calls(args, &environment.variables)?;
        check_journal(args, &environment.variables)?;
        let token = token(args, &environment.variables)?;
        let Some(address) = &args.http else { return Ok(ServerTransport::StandardStreams) };
        let addresses = HttpServer::resolve(address, token.as_ref()).await;
        Ok(ServerTransport::Http(addresses.map_err(|problem| WrongUsage::from(Box::new(problem)))?, token))
    }

    async fn serve(
        self,
        files: Arc<dyn PromptFiles>,
        args: &McpArgs,
        (log, printer): (&LineSender, &Printer),
    ) -> Result<(), ServeError> {
        match self {
            ServerTransport::StandardStreams => {
                let (read, write) = standard_streams()
                    .map_err(|error| Diagnostic::new(format!("cannot use the standard streams: {error}")))?;
                list_files(args, &*files, printer);
                if io::IsTerminal::is_terminal(&io::stdin()) && !args.quiet {
                    printer.stderr_dim("[mcp] waiting for a client on standard input; Ctrl-D ends");
                }
                serve_stdio(files, read, write).await;
            }
            ServerTransport::Http(addresses, token) => {
                let server = HttpServer::bind(&addresses, token).await?;
                list_files(args, &*files, printer);
                // Clients need the address, so `--quiet` does not hide it.
                log.send(format!("listening on {}", server.url()));
                server.serve(files).await;
            }
        }
        Ok(())
    }
}

fn list_files(args: &McpArgs, files: &dyn PromptFiles, printer: &Printer) {
    if args.quiet || !printer.stderr_is_terminal() {
        return;
    }
    for file in files.list().iter() {
        printer.stderr_dim(&format!("[mcp] serving {} ({})", file.name, file.path.display()));
    }
}

/// Checks options that only calls use, so that mistakes are reported before the server starts.
fn check_calls(args: &McpArgs, variables: &[(String, String)]) -> Result<(), WrongUsage> {
    if let Some(address) = args.paths.iter().find(|path| is_address(path)) {
        let hint =
            "prompt files are served; a prompt file uses a server by its address: defMcp('name', { url: 'https://…' })";
        return Err(WrongUsage::new(format!("{} is an address, and no file or folder", address.display()), hint));
    }
    if let Some(mock) = &args.calls.setup.mock {
        mock_file::read(mock)?;
    }
    if let Some(model) = args.calls.setup.model.as_deref().filter(|model| *model != "mock") {
        let context = ProviderContext::new(Rc::new(variables.iter().cloned().collect::<BTreeMap<_, _>>()));
        resolve(model, &context).map_err(|error| {
            let problem = Diagnostic::new(format!("-m, --model {model}: {}", error.message));
            WrongUsage::from(Box::new(Diagnostic { hint: error.hint, ..problem }))
        })?;
    }
    // The file does not matter for the syntax of options.
    args.calls.permissions.rights(Path::new(""), variables).map(drop)
}

fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("http://") || path.starts_with("https://"))
}

/// Creates the journal early, to report errors.
fn check_journal(args: &McpArgs, variables: &[(String, String)]) -> Result<(), Box<Diagnostic>> {
    let Some(typed) = &args.calls.journal else { return Ok(()) };
    let directory = std::env::current_dir().unwrap_or_default();
    let journal = Journal::create(&journal::path(typed.as_deref(), variables, &directory));
    journal.map(drop).map_err(|error| Box::new(error.into()))
}

fn token(args: &McpArgs, variables: &[(String, String)]) -> Result<Option<BearerToken>, WrongUsage> {
    let Some(name) = &args.token_env else { return Ok(None) };
    let value = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let wrong = |why: &str| {
        let hint = "clients send it as a header, Authorization: Bearer TOKEN";
        WrongUsage::new(format!("--token-env {name}: {why}"), hint)
    };
    let value = value.ok_or_else(|| wrong("there is no such variable"))?;
    BearerToken::new(value).map(Some).map_err(wrong)
}

fn options(args: &McpArgs, log: LineSender) -> Result<ServeOptions, ServeError> {
    let program = std::env::current_exe().map_err(|error| {
        Diagnostic::new(format!("cannot find the program to run prompt files with, which is lmthing itself: {error}"))
    })?;
    let loudness = [(args.quiet, "--quiet"), (args.verbose, "--verbose")];
    let loudness = loudness.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| OsString::from(word));
    Ok(ServeOptions {
        paths: args.paths.clone(),
        program,
        call: args.calls.words().into_iter().chain(loudness).collect(),
        describe: args.calls.description_words(),
        hidden_variables: args.token_env.iter().cloned().collect(),
        is_restricted: args.calls.permissions.is_restricted(),
        log,
    })
}
