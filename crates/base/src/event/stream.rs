//! The stream of a run's events, in the order they happen.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    pin::pin,
    rc::Rc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{
    Agent, AgentIdentity, EventKind,
    spans::{ClosedSpan, Spans},
};

/// The error of an agent whose work was dropped.
const DROPPED_ERROR: &str = "it was cut off before it was done";

/// An event with its agent and time.
pub struct Event<'a> {
    events: &'a Events,
    /// The same for all readers; the clock is read on first use.
    time: OnceCell<u64>,
    pub agent: &'a Agent,
    pub kind: &'a EventKind,
}

impl Event<'_> {
    /// Milliseconds since 1970; never decreases within a run.
    pub fn time(&self) -> u64 {
        *self.time.get_or_init(|| self.events.clock.now())
    }

    pub fn run(&self) -> &str {
        &self.events.run
    }
}

/// Receives every event as it happens. Must not run scripts, which emit events in turn.
pub type EventReader = Rc<dyn Fn(&Event<'_>)>;

/// The clock of a run. It does not jump when the system's clock is set back.
#[derive(Clone, Copy, Debug)]
pub struct EventClock {
    start_time: Duration,
    began: Instant,
}

impl EventClock {
    fn start() -> Self {
        let start_time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EventClock { start_time, began: Instant::now() }
    }

    pub fn now(&self) -> u64 {
        u64::try_from((self.start_time + self.began.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }
}

/// The event stream of one run. Events are emitted through an [`AgentScope`].
pub struct Events {
    run: String,
    clock: EventClock,
    readers: RefCell<Vec<EventReader>>,
    root: Agent,
    agents: Cell<u64>,
    /// The number of keys with a common prefix, by prefix.
    keys: RefCell<HashMap<String, u64>>,
    /// The numbers of the agents of an earlier process, by key.
    known: HashMap<String, u64>,
    spans: RefCell<Spans>,
    current: RefCell<Agent>,
}

impl Events {
    pub fn new(readers: Vec<EventReader>) -> Rc<Self> {
        Events::resumed(Events::new_name(), HashMap::new(), readers)
    }

    /// A name for a new run.
    pub fn new_name() -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Names sort by start time; the random part distinguishes runs of one millisecond. It comes from the system because
        // processes that start together would seed their own generators alike.
        let random = getrandom::u32().unwrap_or_else(|_| fastrand::u32(..) ^ std::process::id());
        format!("{:011x}{random:08x}", now.as_millis())
    }

    /// The stream of a resumed run. `known` has the numbers of its agents by key, which they keep.
    pub fn resumed(run: String, known: HashMap<String, u64>, readers: Vec<EventReader>) -> Rc<Self> {
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

    pub fn root(&self) -> Agent {
        self.root.clone()
    }

    pub fn add_reader(&self, reader: EventReader) {
        self.readers.borrow_mut().push(reader);
    }

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

    fn emit_agent_finish(&self, closed: ClosedSpan, error: Option<&str>) {
        let ClosedSpan { agent, steps, took } = closed;
        self.emit(&agent, &EventKind::AgentFinish { steps, took, error: error.map(str::to_owned) });
    }

    /// Ends all open spans: the process ends without dropping their futures.
    fn end_all(&self) {
        loop {
            let last = self.spans.borrow_mut().close_last();
            let Some(closed) = last else { break };
            self.emit_agent_finish(closed, Some(DROPPED_ERROR));
        }
    }

    pub fn emit_current(&self, kind: &EventKind) {
        let agent = self.current.borrow().clone();
        self.emit(&agent, kind);
    }

    pub fn warn(&self, message: impl Into<String>) {
        self.emit_current(&EventKind::Warning { message: message.into() });
    }

    pub fn agent(&self, parent: &Agent, called: AgentIdentity<'_>) -> Agent {
        let mut key = parent.child_key_prefix(called);
        let before = self.keys.borrow().get(&key).copied().unwrap_or(0);
        self.keys.borrow_mut().insert(key.clone(), before + 1);
        key += &format!("#{before}");
        let number = self.known.get(&key).copied().unwrap_or_else(|| {
            self.agents.set(self.agents.get() + 1);
            self.agents.get()
        });
        parent.child(called, number, key)
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    pub fn clock(&self) -> EventClock {
        self.clock
    }
}

/// Emits the events of one agent. Clones are the same.
#[derive(Clone)]
pub struct AgentScope {
    events: Rc<Events>,
    agent: Agent,
}

impl AgentScope {
    pub fn new(events: Rc<Events>, agent: Agent) -> Self {
        AgentScope { events, agent }
    }

    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    pub fn emit(&self, kind: &EventKind) {
        self.events.emit(&self.agent, kind);
    }

    /// Emits the start of the agent, unless it is running or is the file's own prompt.
    pub fn begin(&self) -> AgentSpan {
        let number = self.events.spans.borrow_mut().open(&self.agent);
        if number.is_some() {
            self.emit(&EventKind::AgentStart);
        }
        AgentSpan { events: self.events.clone(), number }
    }

    /// Emits the end of the agent, if it is running.
    pub fn end(&self, error: Option<&str>) {
        let closed = self.events.spans.borrow_mut().close_agent(&self.agent);
        if let Some(closed) = closed {
            self.events.emit_agent_finish(closed, error);
        }
    }

    pub async fn run_as_agent<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        std::future::poll_fn(|context| {
            // Agents are polled within their parent's future, so they nest.
            let before = self.events.current.replace(self.agent.clone());
            let polled = work.as_mut().poll(context);
            self.events.current.replace(before);
            polled
        })
        .await
    }
}

/// Ends an agent's span on drop, unless it has ended: the futures of agents are dropped with the future that awaits them.
pub struct AgentSpan {
    events: Rc<Events>,
    /// The start number; `None` if another span began the agent.
    number: Option<u64>,
}

impl Drop for AgentSpan {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let closed = self.events.spans.borrow_mut().close_number(number);
        if let Some(closed) = closed {
            self.events.emit_agent_finish(closed, Some(DROPPED_ERROR));
        }
    }
}
