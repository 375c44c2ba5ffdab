//! Decides which act is next for each batch. Each stage is stored before the act that follows from it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use super::{
    failures::{Sequel, is_refusal, sequel},
    flight::{Flight, LONGEST_WAIT, ended, files_of, may_be, news},
    pace::{Gathering, Pace, milliseconds},
    remote::{Act, Command, Done, Remote},
    shipments::{Gathered, Stage},
    state::{BatchResult, BatchState},
};
use crate::progress::{BatchNews, BatchNewsPhase};
use lmthing_providers::{
    BatchLimits, BatchPhase, BatchStatus, FoundBatch, HumanDuration, ProviderError, ProviderSettings,
};

#[derive(Default)]
pub(super) struct Service {
    settings: Option<ProviderSettings>,
    limits: Option<BatchLimits>,
    is_opening: bool,
    /// Whether an act has succeeded in this command.
    has_worked: bool,
    /// Whether a row is run to learn the settings.
    waits_for_settings: bool,
    pub(super) gathered: Gathered,
    /// Until when its queue is full, and the wait that follows.
    full: Option<(Instant, Duration)>,
}

pub(super) struct Scheduler<R> {
    pub(super) state: BatchState,
    remote: R,
    pub(super) pace: Pace,
    pub(super) flights: BTreeMap<i64, Flight>,
    pub(super) services: BTreeMap<i64, Service>,
    news: Vec<BatchNews>,
    warnings: Vec<String>,
    /// Why the command ends once the answers that are there are collected.
    failure: Option<ProviderError>,
    /// Requests that are left to the next command.
    held: usize,
    pub(super) gathering: Gathering,
}

impl<R: Remote> Scheduler<R> {
    pub(super) fn new(state: BatchState, remote: R, pace: Pace) -> BatchResult<Self> {
        let now = Instant::now();
        let wait = pace.first_wait();
        let mut flights = BTreeMap::new();
        for shipment in state.shipments()? {
            flights.insert(shipment.id, Flight::new(shipment, now, wait));
        }
        let (services, news, warnings) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (failure, held, gathering) = (None, 0, Gathering::default());
        Ok(Scheduler { state, remote, pace, flights, services, news, warnings, failure, held, gathering })
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

    /// Starts what is due. `is_last` says that no row runs that could add a request, and `most` how many are put into
    /// batches.
    pub(super) fn advance(&mut self, is_last: bool, most: usize) -> BatchResult<()> {
        let now = Instant::now();
        self.gathering.rests = most == 0;
        if self.failure.is_none() {
            self.make_batches(is_last, most, now)?;
        }
        let is_open = |flight: &Flight| !flight.is_busy && !self.rests(flight);
        let open: Vec<i64> = self.flights.iter().filter(|(_, flight)| is_open(flight)).map(|(id, _)| *id).collect();
        for id in open {
            self.advance_batch(id, now, is_last || self.failure.is_some())?;
        }
        Ok(())
    }

    fn make_batches(&mut self, is_last: bool, mut most: usize, now: Instant) -> BatchResult<()> {
        let targets: BTreeSet<i64> = self.services.keys().copied().collect();
        for target in targets {
            loop {
                let service = self.services.entry(target).or_default();
                let is_full = service.full.is_some_and(|(until, _)| now < until);
                if service.gathered.requests == 0 || is_full || most == 0 {
                    break;
                }
                let Some(limits) = service.limits.map(|limits| self.pace.limit(limits, most)) else {
                    self.open(target, is_last)?;
                    break;
                };
                if !is_last && (self.pace.gathers_all || !service.gathered.fill(limits)) {
                    break;
                }
                let made = self.state.make_batch(target, limits, milliseconds())?;
                service.gathered = self.state.gathered(target)?;
                let Some(shipment) = made else { break };
                most -= shipment.new.requests.min(most);
                let wait = self.pace.first_wait();
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
                shipment.stage = Stage::Uploading;
                self.state.store(shipment)?;
                self.news.push(news(shipment, BatchNewsPhase::Uploading));
                Act::Upload
            }
            Stage::Uploading => Act::FindUpload,
            Stage::Uploaded => {
                shipment.stage = Stage::Creating;
                self.state.store(shipment)?;
                Act::Create { file: shipment.file.clone() }
            }
            Stage::Creating => Act::FindBatch { file: shipment.file.clone() },
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
        flight.is_lookup = matches!(act, Act::FindUpload | Act::FindBatch { .. });
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
                shipment.stage = Stage::Uploaded;
                self.state.store(shipment)?;
            }
            Done::FoundUpload(None) => shipment.stage = Stage::Made,
            Done::FoundBatch(FoundBatch::Missing) => shipment.stage = Stage::Uploaded,
            Done::FoundBatch(FoundBatch::Unclear(candidates)) => {
                if !flight.was_seen {
                    self.warnings.push(may_be(shipment.name(), &candidates));
                }
                flight.look_later(self.pace.poll.is_none());
            }
            Done::Created(remote) | Done::FoundBatch(FoundBatch::Found(remote)) => {
                shipment.remote = Some(remote);
                shipment.stage = Stage::Created;
                self.state.store(shipment)?;
                self.news.push(news(shipment, BatchNewsPhase::Submitted));
                flight.look_later(false);
            }
            Done::Status(status) => self.seen(id, *status)?,
            Done::Collected => self.collected(id)?,
            Done::Deleted => drop(flight.files.pop()),
        }
        Ok(())
    }

    fn failed(&mut self, id: i64, error: ProviderError) -> BatchResult<()> {
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.failures += 1;
        let has_worked = self.services.get(&flight.shipment.target).is_some_and(|service| service.has_worked);
        match sequel(flight, &error, has_worked) {
            // The failures of a batch keep it from being waited for.
            Sequel::Again if self.failure.is_some() => {}
            Sequel::Again => {
                flight.due = Instant::now() + flight.wait;
                let (name, wait) = (flight.shipment.name(), HumanDuration(flight.wait));
                self.warnings.push(format!("{name}: {}; trying again in {wait}", error.message));
            }
            Sequel::FailRequests => {
                return self.end_batch(id, BatchPhase::Failed { reason: error.message, is_queue_full: false });
            }
            Sequel::Gone => return self.end_batch(id, BatchPhase::Gone),
            Sequel::LeaveFile => {
                let file = flight.files.pop().unwrap_or_default();
                flight.failures = 0;
                self.warnings.push(format!("the file {file} is left at the provider: {}", error.message));
            }
            Sequel::End => {
                let was_refused = !flight.is_lookup && is_refusal(&error);
                self.failure.get_or_insert(error);
                flight.shipment.stage = match flight.shipment.stage {
                    Stage::Uploading if was_refused => Stage::Made,
                    Stage::Creating if was_refused => Stage::Uploaded,
                    _ => return Ok(()),
                };
                return self.state.store(&flight.shipment);
            }
        }
        Ok(())
    }

    /// Ends a batch that has no results.
    fn end_batch(&mut self, id: i64, phase: BatchPhase) -> BatchResult<()> {
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.failures = 0;
        flight.shipment.status.phase = phase;
        self.collected(id)
    }

    fn opened(&mut self, target: i64, done: Result<Done, ProviderError>) -> BatchResult<()> {
        let service = self.services.entry(target).or_default();
        service.is_opening = false;
        match done {
            Ok(Done::Opened(limits)) => service.limits = Some(limits),
            Err(error) => {
                self.failure.get_or_insert(error);
                let of_service = self.flights.values_mut().filter(|flight| flight.shipment.target == target);
                of_service.for_each(|flight| flight.failures += 1);
            }
            Ok(_) => {}
        }
        Ok(())
    }

    fn seen(&mut self, id: i64, status: BatchStatus) -> BatchResult<()> {
        let Some(flight) = self.flights.get_mut(&id) else { return Ok(()) };
        flight.shipment.status = status;
        if !flight.shipment.status.has_ended() {
            self.news.push(news(&flight.shipment, BatchNewsPhase::InProgress));
            flight.look_later(self.pace.poll.is_none());
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
                let first = self.pace.first_wait();
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

    /// Whether nothing is done for a batch any more in this command.
    fn rests(&self, flight: &Flight) -> bool {
        let (stage, ends) = (flight.shipment.stage, self.failure.is_some());
        let is_seen = flight.was_seen && stage <= Stage::Created;
        is_seen && (ends || self.pace.looks_once) || ends && (flight.failures > 0 || stage < Stage::Created)
    }

    /// Whether nothing is left to be done now: no batch but those that the providers work at, when none is waited for.
    pub(super) fn is_idle(&self) -> bool {
        let rests = |flight: &Flight| !flight.is_busy && self.rests(flight);
        let is_gathered = self.has_gathered() && !self.gathering.rests;
        let is_opening = self.services.values().any(|service| service.is_opening || service.waits_for_settings);
        (!is_gathered || self.failure.is_some()) && !is_opening && self.flights.values().all(rests)
    }

    /// Whether there are requests that are in no batch.
    pub(super) fn has_gathered(&self) -> bool {
        self.services.values().any(|service| service.gathered.requests > 0)
    }

    /// The batches that are at their providers.
    pub(super) fn under_way(&self) -> u64 {
        let is_it = |flight: &&Flight| matches!(flight.shipment.stage, Stage::Creating | Stage::Created | Stage::Ended);
        self.flights.values().filter(is_it).count() as u64
    }

    /// Whether there are batches of which something was sent.
    pub(super) fn has_batches(&self) -> bool {
        self.flights.values().any(|flight| flight.shipment.stage != Stage::Made)
    }
}
