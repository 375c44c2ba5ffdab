//! Runs a worker until it ends: the first signal finishes the steps in progress, the second ends the process.

use std::{collections::HashMap, path::PathBuf, pin::pin, rc::Rc, sync::Arc};

use serde_json::Value;
use tokio::sync::watch;

use super::options::{Options, lookup, serve_options};
use crate::cli::{
    ExitCode, Printer,
    commands::{in_event_loop, mock_file, prices::own_prices},
    failure::WrongUsage,
    interrupt::Interrupts,
    stderr_thread::StderrThread,
    worker_args::{LogForm, WorkerArgs},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{bindings::ModelChoice, session::SharedModel};
use lmthing_providers::Redactor;
use lmthing_serve::{DescribedFile, DescribedFiles, LineSender, are_here, describe_files, service_name};
use lmthing_store::trace::otel::{OtelConfig, Redact, Settings, SharedExport};
use lmthing_system::files::FileReporter;
use lmthing_worker::{
    Engines, InvocationHandler, Level, Log, LogFormat, RunHandler, RunOptions, Service, TOKEN_VARIABLE, Worker,
    WorkerListener,
};

const EVENTS_SCHEMA: &str = include_str!("../../../../docs/events.schema.json");

pub(in crate::cli) fn run(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    in_event_loop(serve(args, printer), printer)
}

async fn serve(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    // First, so that an early signal still ends everything.
    let mut interrupts = Interrupts::listen();
    let stderr_thread = StderrThread::start(printer.stderr_has_colours());
    let log = log(args, stderr_thread.log.clone(), printer);
    let prepared = tokio::select! {
        biased;
        signal = interrupts.next() => Err(signal),
        prepared = PreparedWorker::of(args, &log) => Ok(prepared),
    };
    let ended = match prepared {
        Ok(Ok(prepared)) => prepared.serve(args, &log, &mut interrupts).await,
        Ok(Err(failed)) => Err(failed),
        Err(signal) => Ok(ExitCode::Interrupted(signal)),
    };
    interrupts.ignore();
    let is_written = stderr_thread.end().await;
    ended.unwrap_or_else(|ServeError { code, problem }| {
        if is_written {
            printer.diagnostic(&problem);
        }
        code
    })
}

fn log(args: &WorkerArgs, sender: LineSender, printer: &Printer) -> Log {
    let format = match args.log {
        LogForm::Text => LogFormat::Text { has_colours: printer.stderr_has_colours() },
        LogForm::Json => LogFormat::Json,
    };
    Log::new(sender, format, if args.quiet { Level::Warn } else { Level::Info })
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

impl From<anyhow::Error> for ServeError {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<WrongUsage>() {
            Ok(wrong) => wrong.into(),
            Err(error) => ServeError::from(Box::new(Diagnostic::new(format!("{error:#}")))),
        }
    }
}

impl From<Box<Diagnostic>> for ServeError {
    fn from(problem: Box<Diagnostic>) -> Self {
        ServeError { code: ExitCode::File, problem }
    }
}

struct PreparedWorker {
    options: Options,
    services: Vec<Arc<Service>>,
    listener: WorkerListener,
}

impl PreparedWorker {
    async fn of(args: &WorkerArgs, log: &Log) -> Result<Self, ServeError> {
        let options = Options::of(args).await?;
        options.warnings.iter().for_each(|warning| log.warn(warning, &[]));
        let services = services(args, log).await?;
        options.make_journal()?;
        let listener = WorkerListener::bind(&options.addresses).await?;
        Ok(PreparedWorker { options, services, listener })
    }

    /// Returns after the second signal, or after the first once all runs are released.
    async fn serve(self, args: &WorkerArgs, log: &Log, interrupts: &mut Interrupts) -> Result<ExitCode, ServeError> {
        let address = self.listener.address();
        let (stop, stopping) = watch::channel(false);
        let export = self.export(log);
        let invocation_handler = self.invocation_handler(args, export.clone(), stopping)?;
        let worker = Worker {
            registration: self.options.registration(args, address),
            advertised: args.advertise.clone(),
            keys: args.identity_key.clone(),
            services: self.services,
            events_schema: EVENTS_SCHEMA,
            invocation_handler,
            export,
            log: log.clone(),
        };
        let names: Vec<Value> = worker.services.iter().map(|service| service.name.as_str().into()).collect();
        log.info("listening", &[("address", format!("http://{address}").into()), ("services", names.into())]);
        if args.open && args.identity_key.is_empty() && !are_here(&self.options.addresses) {
            log.warn("anyone who reaches this address can run the prompt files", &[]);
        }
        // From now on the end takes as long as the steps in progress.
        interrupts.allow_slow_end();
        let mut serving = pin!(worker.serve(self.listener, &stop));
        let signal = tokio::select! {
            biased;
            signal = interrupts.next() => signal,
            ended = &mut serving => return ended.map(|()| ExitCode::Done).map_err(ServeError::from),
        };
        log.info("stopping: steps under way end, then runs are given back; a second signal ends at once", &[]);
        stop.send_replace(true);
        serving.await?;
        log.info("stopped", &[]);
        Ok(ExitCode::Interrupted(signal))
    }

    fn export(&self, log: &Log) -> Option<SharedExport> {
        let variables = &self.options.variables;
        let find = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        match Settings::find(find) {
            OtelConfig::Off => None,
            OtelConfig::Wrong(problem) => {
                log.warn(&problem, &[]);
                None
            }
            OtelConfig::On(settings) => {
                let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
                let clean: Redact = Rc::new(move |value| redactor.apply_texts(value));
                Some(SharedExport::new(*settings, &clean))
            }
        }
    }

    fn invocation_handler(
        &self,
        args: &WorkerArgs,
        export: Option<SharedExport>,
        stopping: watch::Receiver<bool>,
    ) -> Result<Arc<dyn InvocationHandler>, ServeError> {
        let files: Vec<PathBuf> = self.services.iter().map(|service| service.path.clone()).collect();
        let variables = self.options.variables.clone();
        let model = match mock_file::chosen_model(&args.setup)? {
            Some(ModelChoice::Named(name)) => Some(SharedModel::Named(name)),
            Some(ModelChoice::Mock { items, place }) => Some(SharedModel::Mock(items, place)),
            Some(ModelChoice::Object { .. }) | None => None,
        };
        let own_prices = own_prices(&variables, &FileReporter::default())?;
        // Last: this may confine the process to what the files may access.
        let permissions = lookup(self.options.permissions(args, &files)?);
        let options = RunOptions {
            jobs: args.jobs.get(),
            journal: self.options.journal.clone(),
            limits: args.limits.limits(),
            own_prices,
            variables: variables.into_iter().filter(|(name, _)| name != TOKEN_VARIABLE).collect(),
            permissions,
            mcp_config: args.setup.mcp_config.as_deref().map(|path| std::path::absolute(path).unwrap_or(path.into())),
            model,
            export,
            approve: args.approved.rules(),
        };
        let engines = Engines::start(options).map_err(|error| {
            Box::new(Diagnostic::new(format!("cannot start the threads that files run on: {error}")))
        })?;
        let supervised = engines.clone();
        tokio::spawn(async move { supervised.supervise().await });
        Ok(Arc::new(RunHandler::new(engines, args.retry_for, stopping)))
    }
}

async fn services(args: &WorkerArgs, log: &Log) -> Result<Vec<Arc<Service>>, ServeError> {
    let DescribedFiles { offers, problems } = describe_files(&serve_options(args)?).await?;
    if offers.is_empty() {
        let problem = Diagnostic::new(format!("there is nothing to serve: {}", problems.join("; ")));
        return Err(ServeError::from(Box::new(problem)));
    }
    problems.iter().for_each(|problem| log.error(problem, &[]));
    let mut known: HashMap<String, PathBuf> = HashMap::new();
    for offer in &offers {
        let name = service_name(&offer.name);
        if let Some(other) = known.insert(name.clone(), offer.path.clone()) {
            let problem = format!("{} and {} would both be the service {name}", other.display(), offer.path.display());
            return Err(ServeError::from(Box::new(Diagnostic::new(problem).with_hint("rename one of them"))));
        }
    }
    let service = |DescribedFile { name, path, description, input, output }| {
        Arc::new(Service { name: service_name(&name), path, description, input, output })
    };
    Ok(offers.into_iter().map(service).collect())
}
