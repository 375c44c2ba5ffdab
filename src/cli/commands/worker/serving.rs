//! From arguments to a worker, and to its end: the first signal asks it to finish, the second ends it. Must not know Restate.

use std::{collections::HashMap, path::PathBuf, pin::pin, rc::Rc, sync::Arc};

use serde_json::Value;
use tokio::sync::watch;

use super::options::{Options, lookup, serve_options};
use crate::{
    cli::{
        ExitCode, Printer,
        commands::{event_loop::in_event_loop, mock_file, run::own_prices},
        failure::WrongUsage,
        interrupt::Interrupts,
        teller::Teller,
        worker_args::{LogForm, WorkerArgs},
    },
    diagnostic::Diagnostic,
    files::FileReporter,
    provider::Redactor,
    script::bindings::ModelChoice,
    serve::{Offer, Survey, Told, are_here, service_name, survey},
    session::SharedModel,
    trace::otel::{OtelConfig, Redact, Settings, SharedExport},
    worker::{Crew, Invocations, Level, Listener, Log, LogFormat, RunOptions, Runs, Service, TOKEN_VARIABLE, Worker},
};

/// Serves until a signal comes, and until everything under way is given back then.
pub(in crate::cli) fn run(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    in_event_loop(serve(args, printer), printer)
}

async fn serve(args: &WorkerArgs, printer: &Printer) -> ExitCode {
    // Before anything else: from now on there is something to end.
    let mut interrupts = Interrupts::listen();
    let teller = Teller::start(printer.stderr_has_colours());
    let log = log(args, teller.told.clone(), printer);
    let ready = tokio::select! {
        biased;
        signal = interrupts.next() => Err(signal),
        ready = Ready::of(args, &log) => Ok(ready),
    };
    let ended = match ready {
        Ok(Ok(ready)) => ready.serve(args, &log, &mut interrupts).await,
        Ok(Err(failed)) => Err(failed),
        Err(signal) => Ok(ExitCode::Interrupted(signal)),
    };
    interrupts.disregard();
    let is_heard = teller.end().await;
    ended.unwrap_or_else(|Failed { code, problem }| {
        if is_heard {
            printer.diagnostic(&problem);
        }
        code
    })
}

fn log(args: &WorkerArgs, told: Told, printer: &Printer) -> Log {
    let format = match args.log {
        LogForm::Text => LogFormat::Text { has_colours: printer.stderr_has_colours() },
        LogForm::Json => LogFormat::Json,
    };
    Log::new(told, format, if args.quiet { Level::Warn } else { Level::Info })
}

/// Why nothing is served.
struct Failed {
    code: ExitCode,
    problem: Box<Diagnostic>,
}

impl From<WrongUsage> for Failed {
    fn from(wrong: WrongUsage) -> Self {
        Failed { code: ExitCode::Usage, problem: Box::new(wrong.into()) }
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<WrongUsage>() {
            Ok(wrong) => wrong.into(),
            Err(error) => Failed::from(Box::new(Diagnostic::new(format!("{error:#}")))),
        }
    }
}

impl From<Box<Diagnostic>> for Failed {
    fn from(problem: Box<Diagnostic>) -> Self {
        Failed { code: ExitCode::File, problem }
    }
}

/// What is there before anybody calls.
struct Ready {
    options: Options,
    services: Vec<Arc<Service>>,
    listener: Listener,
}

impl Ready {
    /// Looks at everything that was typed, and takes the address.
    async fn of(args: &WorkerArgs, log: &Log) -> Result<Self, Failed> {
        let options = Options::of(args).await?;
        options.warnings.iter().for_each(|warning| log.warn(warning, &[]));
        let services = services(args, log).await?;
        options.make_journal()?;
        let listener = Listener::bind(&options.addresses).await?;
        Ok(Ready { options, services, listener })
    }

    /// Serves until the second signal, or until everything has been given back after the first.
    async fn serve(self, args: &WorkerArgs, log: &Log, interrupts: &mut Interrupts) -> Result<ExitCode, Failed> {
        let address = self.listener.address();
        let (stop, stopping) = watch::channel(false);
        let export = self.export(log);
        let invocations = self.invocations(args, export.clone(), stopping)?;
        let worker = Worker {
            registration: self.options.registration(args, address),
            advertised: args.advertise.clone(),
            keys: args.identity_key.clone(),
            services: self.services,
            invocations,
            export,
            log: log.clone(),
        };
        let names: Vec<Value> = worker.services.iter().map(|service| service.name.as_str().into()).collect();
        log.info("listening", &[("address", format!("http://{address}").into()), ("services", names.into())]);
        if args.open && args.identity_key.is_empty() && !are_here(&self.options.addresses) {
            log.warn("whoever reaches this address can run the prompt files", &[]);
        }
        // From now on the end may take as long as the steps under way.
        interrupts.take_time();
        let mut serving = pin!(worker.serve(self.listener, &stop));
        let signal = tokio::select! {
            biased;
            signal = interrupts.next() => signal,
            ended = &mut serving => return ended.map(|()| ExitCode::Done).map_err(Failed::from),
        };
        log.info("stopping: steps under way end, then runs are given back; a second signal ends at once", &[]);
        stop.send_replace(true);
        serving.await?;
        log.info("stopped", &[]);
        Ok(ExitCode::Interrupted(signal))
    }

    /// Where spans of runs go, if the variables say so.
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

    /// The threads that files run on.
    fn invocations(
        &self,
        args: &WorkerArgs,
        export: Option<SharedExport>,
        stopping: watch::Receiver<bool>,
    ) -> Result<Arc<dyn Invocations>, Failed> {
        let files: Vec<PathBuf> = self.services.iter().map(|service| service.path.clone()).collect();
        let variables = self.options.variables.clone();
        let model = match mock_file::chosen_model(&args.setup)? {
            Some(ModelChoice::Named(name)) => Some(SharedModel::Named(name)),
            Some(ModelChoice::Mock { items, place }) => Some(SharedModel::Mock(items, place)),
            Some(ModelChoice::Made { .. }) | None => None,
        };
        let own_prices = own_prices(&variables, &FileReporter::default())?;
        // Last: from here on only what the files may read can be read.
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
        let crew = Crew::start(options).map_err(|error| {
            Box::new(Diagnostic::new(format!("cannot start the threads that files run on: {error}")))
        })?;
        let watched = crew.clone();
        tokio::spawn(async move { watched.watch().await });
        Ok(Arc::new(Runs::new(crew, args.retry_for, stopping)))
    }
}

/// What is served: every file that loads.
async fn services(args: &WorkerArgs, log: &Log) -> Result<Vec<Arc<Service>>, Failed> {
    let Survey { offers, problems } = survey(&serve_options(args)?).await?;
    if offers.is_empty() {
        let problem = Diagnostic::new(format!("there is nothing to serve: {}", problems.join("; ")));
        return Err(Failed::from(Box::new(problem)));
    }
    problems.iter().for_each(|problem| log.error(problem, &[]));
    let mut known: HashMap<String, PathBuf> = HashMap::new();
    for offer in &offers {
        let name = service_name(&offer.name);
        if let Some(other) = known.insert(name.clone(), offer.path.clone()) {
            let problem = format!("{} and {} would both be the service {name}", other.display(), offer.path.display());
            return Err(Failed::from(Box::new(Diagnostic::new(problem).with_hint("rename one of them"))));
        }
    }
    let service = |Offer { name, path, description, input, output }| {
        Arc::new(Service { name: service_name(&name), path, description, input, output })
    };
    Ok(offers.into_iter().map(service).collect())
}
