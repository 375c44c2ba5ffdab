//! The stream of a run's events: one for everything that belongs to the run, in the order things happen.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    pin::pin,
    rc::Rc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{
    Agent, Called, EventKind,
    spans::{Closed, Spans},
};

/// What is told of an agent whose work nobody ended.
const CUT_OFF: &str = "it was cut off before it was done";

/// Something that happened, to whom and when. Readers are lent it.
pub struct Event<'a> {
    events: &'a Events,
    /// The same for all readers; the clock is read for the first who asks.
    time: OnceCell<u64>,
    /// To whom.
    pub agent: &'a Agent,
    /// What.
    pub kind: &'a EventKind,
}

impl Event<'_> {
    /// Milliseconds since 1970, never going back within a run.
    pub fn time(&self) -> u64 {
        *self.time.get_or_init(|| self.events.clock.now())
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        &self.events.run
    }
}

/// Gets every event as it happens. Must not run scripts, which make events in turn.
pub type Reader = Rc<dyn Fn(&Event<'_>)>;

/// What time it is for a run. The system's clock may be set back meanwhile; this one goes on from where it was.
#[derive(Clone, Copy, Debug)]
pub struct EventClock {
    /// Since 1970.
    began_at: Duration,
    began: Instant,
}

impl EventClock {
    fn start() -> Self {
        let began_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EventClock { began_at, began: Instant::now() }
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> u64 {
        u64::try_from((self.began_at + self.began.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }
}

/// The events of one run. Whoever makes one has a [`Scope`]; whoever reads them has been added before.
pub struct Events {
    run: String,
    clock: EventClock,
    readers: RefCell<Vec<Reader>>,
    root: Agent,
    agents: Cell<u64>,
    /// How many of a kind there are already, by what their keys begin with.
    keys: RefCell<HashMap<String, u64>>,
    /// The numbers of the agents of an earlier process, by their keys.
    known: HashMap<String, u64>,
    spans: RefCell<Spans>,
    /// Whose work is being done just now.
    current: RefCell<Agent>,
}

impl Events {
    /// The stream of a run that begins now.
    pub fn new(readers: Vec<Reader>) -> Rc<Self> {
        Events::of_run(Events::new_name(), HashMap::new(), readers)
    }

    /// The name of a run that begins now.
    pub fn new_name() -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Names sort as the runs began; what follows tells runs of one millisecond apart. By the system: processes that
        // start together would seed a generator of their own alike.
        let random = getrandom::u32().unwrap_or_else(|_| fastrand::u32(..) ^ std::process::id());
        format!("{:011x}{random:08x}", now.as_millis())
    }

    /// The stream of a run of this name that goes on. `known` are the numbers of its agents, by their keys: they are found again.
    pub fn of_run(run: String, known: HashMap<String, u64>, readers: Vec<Reader>) -> Rc<Self> {
        let root = Agent::root();
        Rc::new(Events {
            run,
            clock: EventClock::start(),
            readers: RefCell::new(readers),
            root: root.clone(),
            agents: Cell::new(known.values().copied().max().unwrap_or(0)),
            keys: RefCell::default(),
            known,
            spans: RefCell::default(),
            current: RefCell::new(root),
        })
    }

    /// The file's own prompt, at the step that it is at.
    pub fn root(&self) -> Agent {
        self.root.clone()
    }

    /// Adds somebody who reads what happens from now on.
    pub fn add_reader(&self, reader: Reader) {
        self.readers.borrow_mut().push(reader);
    }

    /// Tells of something that happened to an agent.
    pub fn emit(&self, agent: &Agent, kind: &EventKind) {
        match kind {
            EventKind::StepStart { step, .. } => agent.set_step(Some(*step)),
            EventKind::StepFinish { .. } => self.spans.borrow_mut().count_step(agent),
            EventKind::RunFinish(_) => self.end_all(),
            _ => {}
        }
        let event = Event { events: self, time: OnceCell::new(), agent, kind };
        // By index: a reader may be added meanwhile.
        let mut index = 0;
        loop {
            let reader = self.readers.borrow().get(index).cloned();
            let Some(reader) = reader else { break };
            reader(&event);
            index += 1;
        }
    }

    fn agent_ends(&self, closed: Closed, error: Option<&str>) {
        let Closed { agent, steps, took } = closed;
        self.emit(&agent, &EventKind::AgentFinish { steps, took, error: error.map(str::to_owned) });
    }

    /// The process ends with whatever is still at work in it: nothing is dropped any more.
    fn end_all(&self) {
        loop {
            let last = self.spans.borrow_mut().close_last();
            let Some(closed) = last else { break };
            self.agent_ends(closed, Some(CUT_OFF));
        }
    }

    /// Tells of something that happened to whoever is at work just now.
    pub fn emit_current(&self, kind: &EventKind) {
        let agent = self.current.borrow().clone();
        self.emit(&agent, kind);
    }

    /// Tells what a person should know of.
    pub fn warn(&self, message: impl Into<String>) {
        self.emit_current(&EventKind::Warning { message: message.into() });
    }

    /// A new agent that works for another one.
    pub fn agent(&self, parent: &Agent, called: Called<'_>) -> Agent {
        let mut key = parent.key_of_child(called);
        let before = self.keys.borrow().get(&key).copied().unwrap_or(0);
        self.keys.borrow_mut().insert(key.clone(), before + 1);
        key += &format!("#{before}");
        let number = self.known.get(&key).copied().unwrap_or_else(|| {
            self.agents.set(self.agents.get() + 1);
            self.agents.get()
        });
        parent.child(called, number, key)
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What time it is for the run.
    pub fn clock(&self) -> EventClock {
        self.clock
    }
}

/// What an agent tells the stream of its run through. Clones are the same.
#[derive(Clone)]
pub struct Scope {
    events: Rc<Events>,
    agent: Agent,
}

impl Scope {
    /// Of this agent in the run.
    pub fn new(events: Rc<Events>, agent: Agent) -> Self {
        Scope { events, agent }
    }

    /// Whose events these are.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Tells of something that happened to it.
    pub fn emit(&self, kind: &EventKind) {
        self.events.emit(&self.agent, kind);
    }

    /// Tells that the agent begins to work, if it does not work yet; the file's own prompt is no agent.
    pub fn begin(&self) -> AgentSpan {
        let number = self.events.spans.borrow_mut().open(&self.agent);
        if number.is_some() {
            self.emit(&EventKind::AgentStart);
        }
        AgentSpan { events: self.events.clone(), number }
    }

    /// Tells that its work has ended, if it works.
    pub fn end(&self, error: Option<&str>) {
        let closed = self.events.spans.borrow_mut().close_agent(&self.agent);
        if let Some(closed) = closed {
            self.events.agent_ends(closed, error);
        }
    }

    /// Does a piece of this agent's work: what providers have to tell meanwhile is told of it.
    pub async fn at_work<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        std::future::poll_fn(|context| {
            // Agents run within their parent's work, so that they nest.
            let before = self.events.current.replace(self.agent.clone());
            let polled = work.as_mut().poll(context);
            self.events.current.replace(before);
            polled
        })
        .await
    }
}

/// Ends an agent's work when it is dropped, unless it has ended by then: the futures that agents work in are dropped with
/// whoever waits for them.
pub struct AgentSpan {
    events: Rc<Events>,
    /// Of which beginning; none when somebody else began.
    number: Option<u64>,
}

impl Drop for AgentSpan {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let closed = self.events.spans.borrow_mut().close_number(number);
        if let Some(closed) = closed {
            self.events.agent_ends(closed, Some(CUT_OFF));
        }
    }
}
