//! Decides which act is next for each batch. Each stage is stored before the act that follows from it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{
    flight::{Flight, ended, files_of, news},
    remote::{Act, Command, Done, Remote},
    shipments::{Gathered, Stage},
    state::{BatchResult, BatchState},
};
use crate::progress::{BatchNews, BatchNewsPhase};
use lmthing_providers::{
    BatchLimits, BatchPhase, BatchStatus, HumanDuration, ProviderError, ProviderErrorKind, ProviderSettings,
};

/// The first and the longest wait between two looks at a batch, unless `--poll` says how long.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How often an act is tried, each time as often as the client does, if the server has never answered.
const MAX_FAILURES: u32 = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) poll: Option<Duration>,
    pub(super) batch_size: Option<usize>,
    /// Looks at each batch once, and waits for none.
    pub(super) looks_once: bool,
    /// Makes no batch before all rows have made their requests: their costs are estimated first.
    pub(super) gathers_all: bool,
}

#[derive(Default)]
struct Service {
    settings: Option<ProviderSettings>,
    limits: Option<BatchLimits>,
    is_opening: bool,
    /// Whether an act has succeeded in this command.
    has_worked: bool,
    /// Whether a row is run to learn the settings.
    waits_for_settings: bool,
    gathered: Gathered,
    /// Until when its queue is full, and the wait that follows.
    full: Option<(Instant, Duration)>,
}

pub(super) struct Scheduler<R> {
    pub(super) state: BatchState,
    remote: R,
    pace: Pace,
    flights: BTreeMap<i64, Flight>,
    services: BTreeMap<i64, Service>,
    news: Vec<BatchNews>,
    warnings: Vec<String>,
    failure: Option<ProviderError>,
    /// Requests that are left to the next command.
    held: usize,
}

impl<R: Remote> Scheduler<R> {
    pub(super) fn new(state: BatchState, remote: R, pace: Pace) -> BatchResult<Self> {
        let now = Instant::now();
        let wait = pace.poll.unwrap_or(FIRST_WAIT);
        let mut flights = BTreeMap::new();
        for shipment in state.shipments()? {
            let is_in_doubt = matches!(shipment.stage, Stage::Uploading | Stage::Creating);
            let files = if shipment.stage == Stage::Collected { files_of(&shipment) } else { Vec::new() };
            flights.insert(shipment.id, Flight { is_in_doubt, files, ..Flight::new(shipment, now, wait) });
        }
        let (services, news, warnings) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Scheduler { state, remote, pace, flights, services, news, warnings, failure: None, held: 0 })
    }

    /// Notes a request that is in no batch yet.
    pub(super) fn gather(&mut self, target: i64, bytes: u64) {
        self.services.entry(target).or_default().gathered.add(bytes);
    }

    /// Notes the settings that the file has for a service.
    pub(super) fn learn(&mut self, target: i64, settings: ProviderSettings) {
        let service = self.services.entry(target).or_default();
        service.settings.get_or_insert(settings);
        service.waits_for_settings = false;
    }

    pub(super) fn learn_of(&mut self, target: &str, settings: ProviderSettings) -> BatchResult<()> {
        let target = self.state.target_of(target)?;
        self.learn(target, settings);
        Ok(())
    }

    /// Starts what is due. `is_last` says that no row runs that could add a request.
    pub(super) fn advance(&mut self, is_last: bool) -> BatchResult<()> {
        if self.failure.is_some() {
            return Ok(());
        }
        let now = Instant::now();
        self.make_batches(is_last, now)?;
        let due: Vec<i64> = self.flights.iter().filter(|(_, flight)| !flight.is_busy).map(|(id, _)| *id).collect();
        for id in due {
            self.advance_batch(id, now, is_last)?;
        }
        Ok(())
    }

    fn make_batches(&mut self, is_last: bool, now: Instant) -> BatchResult<()> {
        let targets: BTreeSet<i64> = self.services.keys().copied().collect();
        for target in targets {
            loop {
                let service = self.services.entry(target).or_default();
                let is_full = service.full.is_some_and(|(until, _)| now < until);
                if service.gathered.requests == 0 || is_full {
                    break;
                }
                let Some(limits) = service.limits else {
                    self.open(target, is_last)?;
                    break;
                };
                let limits = self.pace.limit(limits);
                let service = self.services.entry(target).or_default();
                if !is_last && (self.pace.gathers_all || !service.gathered.fill(limits)) {
                    break;
                }
                let made = self.state.make_batch(target, limits, milliseconds())?;
                let gathered = self.state.gathered(target)?;
                self.services.entry(target).or_default().gathered = gathered;
                let Some(shipment) = made else { break };
                let wait = self.pace.poll.unwrap_or(FIRST_WAIT);
                self.flights.insert(shipment.id, Flight::new(shipment, now, wait));
            }
        }
        Ok(())
    }

    /// Has the client of a service made. Returns whether there is one. After another command, only the file knows its
    /// own key or address: a row that waits for the service is run, as its requests have them.
    fn open(&mut self, target: i64, is_last: bool) -> BatchResult<bool> {
        let service = self.services.entry(target).or_default();
        if service.limits.is_some() || service.is_opening {
            return Ok(service.limits.is_some());
        }
        if service.settings.is_none() {
            if !service.waits_for_settings && self.state.wake_row_of(target)? {
                service.waits_for_settings = true;
                return Ok(false);
            }
            if !is_last {
                return Ok(false);
            }
        }
        service.waits_for_settings = false;
        service.is_opening = true;
        let act = Act::Open(Box::new(service.settings.clone().unwrap_or_default()));
        let service = self.state.target(target)?;
        self.remote.perform(Command { target, service, batch: None, act });
        Ok(false)
    }

    fn advance_batch(&mut self, id: i64, now: Instant, is_last: bool) -> BatchResult<()> {
        let Some(target) = self.flights.get(&id).map(|flight| flight.shipment.target) else { return Ok(()) };
        if !self.open(target, is_last)? {
            return Ok(());
        }
        let Some(flight) = self.flights.get_mut(&id).filter(|flight| flight.due <= now) else { return Ok(()) };
        let shipment = &mut flight.shipment;
        let act = match shipment.stage {
            Stage::Made => {
                // A batch that was refused has its file already.
                let is_uploaded = shipment.file.is_some();
                shipment.stage = if is_uploaded { Stage::Creating } else { Stage::Uploading };
                self.state.store(shipment)?;
                self.news.push(news(shipment, BatchNewsPhase::Uploading));
                if is_uploaded { Act::Create { file: shipment.file.clone() } } else { Act::Upload }
            }
            Stage::Uploading if flight.is_in_doubt => Act::FindUpload,
            Stage::Uploading => Act::Upload,
            Stage::Creating if flight.is_in_doubt => Act::FindBatch { file: shipment.file.clone() },
            Stage::Creating => Act::Create { file: shipment.file.clone() },
            Stage::Created if self.pace.looks_once && flight.was_seen => return Ok(()),
            Stage::Created => Act::Status(shipment.remote.clone().unwrap_or_default()),
            Stage::Ended => Act::Results(Box::new(shipment.status.clone())),
            Stage::Collected => match flight.files.last() {
                Some(file) => Act::Delete(file.clone()),
                None => {
                    self.flights.remove(&id);
                    return self.state.forget_batch(id);
                }
            },
        };
        flight.is_busy = true;
        let batch = Some((id, shipment.new.clone()));
        self.remote.perform(Command { target, service: shipment.new.target.clone(), batch, act });
        Ok(())
    }

    /// Notes what came of an act.
    pub(super) fn report(
        &mut self,
        target: i64,
        batch: Option<i64>,
        done: Result<Done, ProviderError>,
    ) -> BatchResult<()> {
        let Some(id) = batch else { return self.opened(target, done) };
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.is_busy = false;
        let shipment = &mut flight.shipment;
        let done = match done {
            Ok(done) => done,
            Err(error) => return self.failed(id, error),
        };
        flight.failures = 0;
        flight.due = Instant::now();
        self.services.entry(target).or_default().has_worked = true;
        match done {
            Done::Opened(_) => {}
            Done::Uploaded(file) | Done::FoundUpload(file @ Some(_)) => {
                shipment.file = file;
                shipment.stage = Stage::Creating;
                flight.is_in_doubt = false;
                self.state.store(shipment)?;
            }
            Done::FoundUpload(None) | Done::FoundBatch(None) => flight.is_in_doubt = false,
            Done::Created(remote) | Done::FoundBatch(Some(remote)) => {
                shipment.remote = Some(remote);
                shipment.stage = Stage::Created;
                flight.due = Instant::now() + flight.wait;
                // Another command looks first.
                flight.was_seen = true;
                self.state.store(shipment)?;
                self.news.push(news(shipment, BatchNewsPhase::Submitted));
            }
            Done::Status(status) => self.seen(id, *status)?,
            Done::Collected => self.collected(id)?,
            Done::Deleted => drop(flight.files.pop()),
        }
        Ok(())
    }

    /// A connection or a server that fails for a while is no reason to end, as a batch may take a day.
    fn failed(&mut self, id: i64, error: ProviderError) -> BatchResult<()> {
        use ProviderErrorKind::{Connection, Protocol, RateLimit, Server, Timeout};
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.failures += 1;
        let has_worked = self.services.get(&flight.shipment.target).is_some_and(|service| service.has_worked);
        let may_pass = matches!(error.kind, Connection | Server | Timeout | Protocol | RateLimit { .. });
        let is_last = flight.failures >= MAX_FAILURES;
        if flight.shipment.stage == Stage::Collected && (is_last || !may_pass) {
            let file = flight.files.pop().unwrap_or_default();
            flight.failures = 0;
            self.warnings.push(format!("the file {file} is left at the provider: {}", error.message));
        } else if !may_pass || (is_last && !has_worked) {
            self.failure.get_or_insert(error);
            if !may_pass && !flight.is_in_doubt && matches!(flight.shipment.stage, Stage::Uploading | Stage::Creating) {
                // Refused, so nothing is under way.
                flight.shipment.stage = Stage::Made;
                return self.state.store(&flight.shipment);
            }
        } else {
            flight.is_in_doubt = matches!(flight.shipment.stage, Stage::Uploading | Stage::Creating);
            flight.due = Instant::now() + flight.wait;
            let wait = HumanDuration(flight.wait);
            self.warnings.push(format!("{}: {}; trying again in {wait}", flight.shipment.name(), error.message));
        }
        Ok(())
    }

    fn opened(&mut self, target: i64, done: Result<Done, ProviderError>) -> BatchResult<()> {
        let service = self.services.entry(target).or_default();
        service.is_opening = false;
        match done {
            Ok(Done::Opened(limits)) => service.limits = Some(limits),
            Err(error) => drop(self.failure.get_or_insert(error)),
            Ok(_) => {}
        }
        Ok(())
    }

    fn seen(&mut self, id: i64, status: BatchStatus) -> BatchResult<()> {
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.was_seen = true;
        flight.shipment.status = status;
        if flight.shipment.status.phase == BatchPhase::InProgress {
            self.news.push(news(&flight.shipment, BatchNewsPhase::InProgress));
            flight.due = Instant::now() + flight.wait;
            if self.pace.poll.is_none() {
                flight.wait = flight.wait.mul_f64(1.5).min(LONGEST_WAIT);
            }
            return Ok(());
        }
        flight.shipment.stage = Stage::Ended;
        self.state.store(&flight.shipment)
    }

    fn collected(&mut self, id: i64) -> BatchResult<()> {
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        let left = self.state.close(&flight.shipment)?;
        flight.shipment.stage = Stage::Collected;
        flight.files = files_of(&flight.shipment);
        self.held += left;
        let (target, name) = (flight.shipment.target, flight.shipment.name().to_owned());
        self.news.push(news(&flight.shipment, ended(&flight.shipment.status.phase)));
        if left > 0 {
            let requests = if left == 1 { "1 request is".to_owned() } else { format!("{left} requests are") };
            self.warnings.push(format!("batch {name} was cancelled elsewhere: {requests} left to the next command"));
        }
        let gathered = self.state.gathered(target)?;
        let service = self.services.entry(target).or_default();
        service.gathered = gathered;
        match &flight.shipment.status.phase {
            BatchPhase::Failed { reason, is_queue_full: true } => {
                let first = self.pace.poll.unwrap_or(FIRST_WAIT);
                let wait = service.full.map_or(first, |(_, wait)| (wait * 2).min(LONGEST_WAIT));
                service.full = Some((Instant::now() + wait, wait));
                let wait = HumanDuration(wait);
                self.warnings.push(format!("batch {name} was not taken, and is submitted again in {wait}: {reason}"));
            }
            _ => service.full = None,
        }
        Ok(())
    }

    pub(super) fn take_news(&mut self) -> (Vec<BatchNews>, Vec<String>) {
        (std::mem::take(&mut self.news), std::mem::take(&mut self.warnings))
    }

    pub(super) fn failure(&self) -> Option<&ProviderError> {
        self.failure.as_ref()
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Whether an act is under way that must not be left alone without need.
    pub(super) fn is_busy(&self) -> bool {
        self.flights.values().any(|flight| flight.is_busy && flight.shipment.stage != Stage::Created)
    }

    /// Whether nothing is left to be done now: no batch but those that the providers work at, when none is waited for.
    pub(super) fn is_idle(&self) -> bool {
        let waits = |flight: &Flight| {
            self.pace.looks_once && flight.shipment.stage == Stage::Created && flight.was_seen && !flight.is_busy
        };
        let is_gathered = self.services.values().any(|service| service.gathered.requests > 0);
        let is_opening = self.services.values().any(|service| service.is_opening || service.waits_for_settings);
        !is_gathered && !is_opening && self.flights.values().all(waits)
    }

    /// The batches that are at their providers.
    pub(super) fn under_way(&self) -> u64 {
        let is_it = |flight: &&Flight| matches!(flight.shipment.stage, Stage::Creating | Stage::Created | Stage::Ended);
        self.flights.values().filter(is_it).count() as u64
    }

    /// Whether there are batches of which something was sent.
    pub(super) fn has_batches(&self) -> bool {
        let is_unsent = |flight: &Flight| flight.shipment.stage == Stage::Made && flight.shipment.file.is_none();
        !self.flights.values().all(is_unsent)
    }
}

impl Pace {
    fn limit(self, limits: BatchLimits) -> BatchLimits {
        let requests = self.batch_size.map_or(limits.requests, |size| size.min(limits.requests));
        BatchLimits { requests: requests.max(1), ..limits }
    }
}

pub(crate) fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
