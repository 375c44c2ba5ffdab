//! The thread that talks to the services of batches.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{self, BufWriter, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, mpsc},
    time::Duration,
};

use tokio::{
    sync::{Semaphore, mpsc::UnboundedSender},
    task::LocalSet,
};

use super::{
    shipments::{custom_id, each_request},
    state::{lines_path, open_reader},
};
use lmthing_base::chat::RequestPlace;
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_providers::{
    BatchClient, BatchLimits, BatchOutcome, BatchRequest, BatchStatus, BatchTarget, FoundBatch, NewBatch,
    ProviderContext, ProviderError, ProviderErrorKind, ProviderEvent, ProviderSettings, Redactor, RemoteId, Servers,
};
use lmthing_system::threads::EventLoop;

/// How many answers are passed on at once. The thread waits until they are stored, so that memory is bounded.
const ANSWERS_AT_ONCE: usize = 256;

/// Further acts wait.
const ACTS_AT_ONCE: usize = 8;

/// A remote act.
pub(super) enum Act {
    /// Makes the client of the service.
    Open(Box<ProviderSettings>),
    Upload,
    FindUpload,
    Create {
        file: Option<RemoteId>,
    },
    FindBatch {
        file: Option<RemoteId>,
    },
    Status(RemoteId),
    Results(Box<BatchStatus>),
    Delete(RemoteId),
}

pub(super) struct Command {
    pub(super) target: i64,
    pub(super) service: BatchTarget,
    /// Unset for [`Act::Open`].
    pub(super) batch: Option<(i64, NewBatch)>,
    pub(super) act: Act,
}

/// What came of an act.
#[derive(Debug)]
pub(crate) enum Done {
    Opened(BatchLimits),
    /// Without a file where the requests are sent with the batch itself.
    Uploaded(Option<RemoteId>),
    FoundUpload(Option<RemoteId>),
    Created(RemoteId),
    FoundBatch(FoundBatch),
    Status(Box<BatchStatus>),
    Collected,
    Deleted,
}

pub(crate) enum Report {
    Done {
        target: i64,
        batch: Option<i64>,
        done: Result<Done, ProviderError>,
    },
    /// Answers of a batch, which are acknowledged once they are stored.
    Answers {
        batch: i64,
        outcomes: Vec<(String, BatchOutcome)>,
        stored: mpsc::SyncSender<()>,
    },
    Warned(String),
}

/// Performs acts. What comes of them is reported later.
pub(super) trait Remote {
    fn perform(&mut self, command: Command);
}

pub(super) struct RemoteThread(UnboundedSender<Command>);

impl Remote for RemoteThread {
    fn perform(&mut self, command: Command) {
        // The thread ends only when this is dropped.
        let _ = self.0.send(command);
    }
}

/// What the thread needs to know of the map.
pub(crate) struct RemoteOptions {
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) servers: Arc<Servers>,
    /// The state file, from which requests are read.
    pub(crate) state: PathBuf,
    /// Begins the names of batches.
    pub(crate) name: String,
    pub(crate) poll: Option<Duration>,
}

impl RemoteThread {
    pub(super) fn start(options: RemoteOptions, report: impl Fn(Report) + Send + Clone + 'static) -> io::Result<Self> {
        let (sender, mut commands) = tokio::sync::mpsc::unbounded_channel::<Command>();
        let event_loop = move || {
            let Ok(event_loop) = EventLoop::new() else { return };
            event_loop.run(LocalSet::new().run_until(async move {
                let worker = Rc::new(Worker::new(options, report));
                while let Some(command) = commands.recv().await {
                    tokio::task::spawn_local(worker.clone().perform(command));
                }
            }));
        };
        let thread = std::thread::Builder::new().name("lmthing-batches".to_owned()).stack_size(THREAD_STACK_SIZE);
        thread.spawn(event_loop).map(|_| RemoteThread(sender))
    }
}

struct Worker<R> {
    options: RemoteOptions,
    context: ProviderContext,
    clients: RefCell<HashMap<i64, Rc<BatchClient>>>,
    acts: Semaphore,
    report: R,
}

/// A context for the clients of services.
pub(super) fn context(
    variables: &[(String, String)],
    servers: Arc<Servers>,
    warn: impl Fn(String) + 'static,
) -> ProviderContext {
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    let context = ProviderContext::with_redactor(Rc::new(variables), redactor).with_servers(servers);
    context.on_event(move |event| {
        if !matches!(event, ProviderEvent::Notice { .. }) {
            warn(event.to_string());
        }
    })
}

impl<R: Fn(Report) + Clone + 'static> Worker<R> {
    fn new(options: RemoteOptions, report: R) -> Self {
        let warn = report.clone();
        let context = context(&options.variables, options.servers.clone(), move |text| warn(Report::Warned(text)));
        Worker { options, context, clients: RefCell::default(), acts: Semaphore::new(ACTS_AT_ONCE), report }
    }

    async fn perform(self: Rc<Self>, command: Command) {
        let (target, batch) = (command.target, command.batch.as_ref().map(|(id, _)| *id));
        // Each has a connection, and perhaps a file with the lines of its batch.
        let _permit = self.acts.acquire().await;
        let done = self.done(command).await;
        (self.report)(Report::Done { target, batch, done });
    }

    async fn done(&self, command: Command) -> Result<Done, ProviderError> {
        let Command { target, service, batch, act } = command;
        if let Act::Open(settings) = &act {
            let client = BatchClient::new(&service, settings, &self.context)?;
            let client = match self.options.poll {
                Some(every) => client.polling(every),
                None => client,
            };
            let limits = client.limits();
            self.clients.borrow_mut().insert(target, Rc::new(client));
            return Ok(Done::Opened(limits));
        }
        let client = self.clients.borrow().get(&target).cloned();
        let (Some(client), Some((id, new))) = (client, batch) else {
            return Err(local_error(&service, "the service of the batch was not opened".to_owned()));
        };
        match act {
            Act::Open(_) => Err(local_error(&service, "the service is open already".to_owned())),
            Act::Upload => {
                let lines = self.lines(&client, id, &service)?;
                let bytes = fs::metadata(&lines.0).map_or(0, |metadata| metadata.len());
                match client.uploads(bytes) {
                    true => client.upload(&new, &lines.0).await.map(|file| Done::Uploaded(Some(file))),
                    false => Ok(Done::Uploaded(None)),
                }
            }
            Act::FindUpload => client.find_upload(&new).await.map(Done::FoundUpload),
            Act::Create { file } => {
                let lines = self.lines(&client, id, &service)?;
                client.create(&new, file.as_ref(), &lines.0).await.map(Done::Created)
            }
            Act::FindBatch { file } => client.find_batch(&new, file.as_ref()).await.map(Done::FoundBatch),
            Act::Status(remote) => client.status(&remote).await.map(|status| Done::Status(Box::new(status))),
            Act::Results(status) => self.results(&client, id, &status).await.map(|()| Done::Collected),
            Act::Delete(file) => client.delete(&file).await.map(|()| Done::Deleted),
        }
    }

    async fn results(&self, client: &BatchClient, batch: i64, status: &BatchStatus) -> Result<(), ProviderError> {
        let mut outcomes = Vec::new();
        let mut on = |custom_id: &str, outcome: BatchOutcome| {
            outcomes.push((custom_id.to_owned(), outcome));
            if outcomes.len() < ANSWERS_AT_ONCE {
                return ControlFlow::Continue(());
            }
            self.pass_on(batch, std::mem::take(&mut outcomes))
        };
        let read = client.results(status, &mut on).await;
        // Also if there are no more. The map has ended if nothing takes them: the batch is not collected then.
        let _ = self.pass_on(batch, outcomes);
        read
    }

    fn pass_on(&self, batch: i64, outcomes: Vec<(String, BatchOutcome)>) -> ControlFlow<()> {
        let (stored, wait) = mpsc::sync_channel(1);
        (self.report)(Report::Answers { batch, outcomes, stored });
        match wait.recv() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Writes the lines of a batch into a file, which is removed when it is dropped.
    fn lines(&self, client: &BatchClient, batch: i64, service: &BatchTarget) -> Result<LinesFile, ProviderError> {
        let RemoteOptions { state, name, .. } = &self.options;
        let path = lines_path(state, batch);
        let written = write_lines(&path, state, |connection, to| {
            each_request(connection, batch, |id, model_id, body| {
                let Ok(body) = serde_json::value::RawValue::from_string(body) else { return Ok(()) };
                let (target, place) = (service.clone(), RequestPlace::default());
                let request = BatchRequest { target, model_id, body, place, settings: ProviderSettings::default() };
                let line = client.line(&custom_id(name, batch, id), &request);
                writeln!(to, "{line}").map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
            })
        });
        let file = LinesFile(path);
        match written {
            Ok(()) => Ok(file),
            Err(why) => Err(local_error(service, format!("cannot write {}: {why}", file.0.display()))),
        }
    }
}

struct LinesFile(PathBuf);

impl Drop for LinesFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[derive(Debug, thiserror::Error)]
enum LinesError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("{0}")]
    State(#[from] rusqlite::Error),
}

fn write_lines(
    path: &Path,
    state: &Path,
    write: impl FnOnce(&rusqlite::Connection, &mut BufWriter<File>) -> rusqlite::Result<()>,
) -> Result<(), LinesError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut to = BufWriter::new(options.open(path)?);
    write(&open_reader(state)?, &mut to)?;
    Ok(to.flush()?)
}

/// A failure on this machine, which no service is to blame for.
fn local_error(service: &BatchTarget, message: String) -> ProviderError {
    let model = service.model_id.clone().unwrap_or_default();
    ProviderError::new(ProviderErrorKind::Configuration, &*service.provider, model, message)
}
