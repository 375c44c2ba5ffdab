//! The JavaScript values of one prompt: what its definitions call, its state and effects, its options.
//!
//! The values lie in Rust fields that the garbage collector is shown ([`Trace`]), so they die with their prompt.
//! Accessors hand out clones and never run JavaScript while a field is borrowed: a callback may well define or set
//! something itself.
//!
//! A bag must not be shared but through its prompt object: the collector counts each value once, for that object.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use rquickjs::{
    Array, Class, Function, JsLifetime, Object, Value,
    class::{Trace, Tracer},
};

use super::{
    entry::{CallOptions, Entry, Shelf},
    mcp_use::McpUse,
    run::PromptRun,
    state_entry::StateEntry,
    told_tool::{ConvertedTool, ToldTool},
    trace::trace_cell,
    written_data::WrittenData,
};
use crate::script::bindings::values::schema::Schema;

/// One effect; its place in call order is what tells it apart.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct Effect<'js> {
    /// `fn(context, stepModifier)`, of the latest run of the body.
    pub(crate) function: Function<'js>,
    /// What it depends on by the latest run of the body; `None` for "every step".
    pub(crate) deps: Option<Array<'js>>,
    /// The dependencies of its last run; `None` before the first, and when that had none.
    pub(crate) last_deps: Option<Array<'js>>,
    /// Whether it has run at all: `[]` means once.
    pub(crate) ran: bool,
    /// What its last run returned, until it is called.
    pub(crate) clean_up: Option<Function<'js>>,
}

/// A tool as it was converted last.
#[derive(Clone, Trace, JsLifetime)]
struct CachedTool<'js> {
    told: ToldTool<'js>,
    #[qjs(skip_trace)]
    converted: Rc<ConvertedTool>,
}

/// See the module.
#[derive(Default, JsLifetime)]
pub(crate) struct Bag<'js> {
    function: RefCell<Option<Function<'js>>>,
    input: RefCell<Option<Value<'js>>>,
    model: RefCell<Option<Value<'js>>>,
    options: RefCell<Option<Object<'js>>>,
    plugins: RefCell<Vec<Value<'js>>>,
    // The order of definitions is in `prompt::Prompt`; here they are only found.
    tools: RefCell<HashMap<String, Entry<'js>>>,
    functions: RefCell<HashMap<String, Entry<'js>>>,
    methods: RefCell<HashMap<String, Entry<'js>>>,
    states: RefCell<HashMap<String, StateEntry<'js>>>,
    effects: RefCell<Vec<Effect<'js>>>,
    /// In the order they were first named.
    servers: RefCell<Vec<McpUse<'js>>>,
    task_graph: RefCell<Option<Object<'js>>>,
    messages: RefCell<Option<Array<'js>>>,
    output: RefCell<Option<Schema<'js>>>,
    converted: RefCell<HashMap<String, CachedTool<'js>>>,
    run: RefCell<Option<Class<'js, PromptRun<'js>>>>,
    parent: RefCell<Option<Value<'js>>>,
    /// Not shown to the collector: it holds strings and numbers, which lead nowhere.
    written: RefCell<HashMap<String, WrittenData<'js>>>,
}

impl<'js> Trace<'js> for Bag<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        // Every cell has to be here. One that is not shown keeps its value alive for good, and with it, by way of the
        // prompt that callbacks close over, the bag itself.
        trace_cell(&self.function, tracer);
        trace_cell(&self.input, tracer);
        trace_cell(&self.model, tracer);
        trace_cell(&self.options, tracer);
        trace_cell(&self.plugins, tracer);
        trace_cell(&self.tools, tracer);
        trace_cell(&self.functions, tracer);
        trace_cell(&self.methods, tracer);
        trace_cell(&self.states, tracer);
        trace_cell(&self.effects, tracer);
        trace_cell(&self.task_graph, tracer);
        trace_cell(&self.messages, tracer);
        trace_cell(&self.output, tracer);
        trace_cell(&self.converted, tracer);
        trace_cell(&self.run, tracer);
        trace_cell(&self.parent, tracer);
        trace_cell(&self.servers, tracer);
    }
}

impl<'js> Bag<'js> {
    /// The prompt function; none for agents' children and prompts that are driven by hand.
    pub(crate) fn function(&self) -> Option<Function<'js>> {
        self.function.borrow().clone()
    }

    /// Sets the prompt function.
    pub(crate) fn set_function(&self, function: Function<'js>) {
        self.function.replace(Some(function));
    }

    /// The checked input, which is the second argument of the prompt function on each of its runs; none when the prompt
    /// takes none.
    pub(crate) fn input(&self) -> Option<Value<'js>> {
        self.input.borrow().clone()
    }

    /// Sets what [`Bag::input`] gives, before the first run of the function.
    pub(crate) fn set_input(&self, input: Value<'js>) {
        self.input.replace(Some(input));
    }

    /// `config.model` as it was given; none when there was none.
    pub(crate) fn model(&self) -> Option<Value<'js>> {
        self.model.borrow().clone()
    }

    /// Sets what `model` is; looked up when a run begins.
    pub(crate) fn set_model(&self, model: Value<'js>) {
        self.model.replace(Some(model));
    }

    /// `config.options`; checked where they are read.
    pub(crate) fn options(&self) -> Option<Object<'js>> {
        self.options.borrow().clone()
    }

    /// Sets `config.options`; the object of the script, not a copy.
    pub(crate) fn set_options(&self, options: Object<'js>) {
        self.options.replace(Some(options));
    }

    /// The plugin objects, which agents' children get as well.
    pub(crate) fn plugins(&self) -> Vec<Value<'js>> {
        self.plugins.borrow().clone()
    }

    /// Adds plugin objects behind those there are.
    pub(crate) fn add_plugins(&self, plugins: Vec<Value<'js>>) {
        self.plugins.borrow_mut().extend(plugins);
    }

    fn shelf(&self, shelf: Shelf) -> &RefCell<HashMap<String, Entry<'js>>> {
        match shelf {
            Shelf::Tools => &self.tools,
            Shelf::Functions => &self.functions,
            Shelf::Methods => &self.methods,
        }
    }

    /// The entry of a definition.
    pub(crate) fn entry(&self, shelf: Shelf, name: &str) -> Option<Entry<'js>> {
        self.shelf(shelf).borrow().get(name).cloned()
    }

    /// Reads the entry of a definition where it is, without the cost of a clone. `read` must not call JavaScript.
    pub(crate) fn with_entry<T>(&self, shelf: Shelf, name: &str, read: impl FnOnce(&Entry<'js>) -> T) -> Option<T> {
        self.shelf(shelf).borrow().get(name).map(read)
    }

    /// Keeps an entry; the same name again replaces it.
    pub(crate) fn set_entry(&self, shelf: Shelf, name: &str, entry: Entry<'js>) {
        self.shelf(shelf).borrow_mut().insert(name.to_owned(), entry);
    }

    /// Forgets an entry.
    pub(crate) fn remove_entry(&self, shelf: Shelf, name: &str) {
        self.shelf(shelf).borrow_mut().remove(name);
    }

    /// Gives an entry other options, but for the shape of its result.
    pub(crate) fn set_call_options(&self, shelf: Shelf, name: &str, options: &CallOptions<'js>) {
        if let Some(entry) = self.shelf(shelf).borrow_mut().get_mut(name) {
            entry.callables_mut().into_iter().for_each(|callable| {
                let response_schema = callable.options.response_schema.take();
                callable.options = CallOptions { response_schema, ..options.clone() };
            });
        }
    }

    /// The servers that `defMcp` has named.
    pub(crate) fn servers(&self) -> Vec<McpUse<'js>> {
        self.servers.borrow().clone()
    }

    /// What a server is to the prompt.
    pub(crate) fn server(&self, name: &str) -> Option<McpUse<'js>> {
        self.servers.borrow().iter().find(|server| server.plan.name == name).cloned()
    }

    /// Keeps what a server is to the prompt.
    pub(crate) fn set_server(&self, server: McpUse<'js>) {
        let mut servers = self.servers.borrow_mut();
        match servers.iter_mut().find(|known| known.plan.name == server.plan.name) {
            Some(known) => *known = server,
            None => servers.push(server),
        }
    }

    /// Forgets a server.
    pub(crate) fn remove_server(&self, name: &str) {
        self.servers.borrow_mut().retain(|server| server.plan.name != name);
    }

    /// The state of this key, if it was ever defined.
    pub(crate) fn state(&self, key: &str) -> Option<StateEntry<'js>> {
        self.states.borrow().get(key).cloned()
    }

    /// Keeps a state under its key.
    pub(crate) fn set_state(&self, key: String, entry: StateEntry<'js>) {
        self.states.borrow_mut().insert(key, entry);
    }

    /// All states by name.
    pub(crate) fn states(&self) -> Vec<(String, StateEntry<'js>)> {
        let states = self.states.borrow();
        let mut states: Vec<_> = states.iter().map(|(key, entry)| (key.clone(), entry.clone())).collect();
        states.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        states
    }

    /// The effects in call order.
    pub(crate) fn effects(&self) -> &RefCell<Vec<Effect<'js>>> {
        &self.effects
    }

    /// What the task graph plugin keeps.
    pub(crate) fn task_graph(&self) -> Option<Object<'js>> {
        self.task_graph.borrow().clone()
    }

    /// Sets what [`Bag::task_graph`] gives: when it is defined, and when its state is that of another process.
    pub(crate) fn set_task_graph(&self, holder: Object<'js>) {
        self.task_graph.replace(Some(holder));
    }

    /// The conversation's message objects that effects have seen so far; kept from step to step, so that a long run
    /// does not make them again and again.
    pub(crate) fn messages(&self) -> Option<Array<'js>> {
        self.messages.borrow().clone()
    }

    /// Sets what [`Bag::messages`] gives; once a prompt, it grows from then on.
    pub(crate) fn set_messages(&self, messages: Array<'js>) {
        self.messages.replace(Some(messages));
    }

    /// The schema of the prompt's own `output`; none for an agent, whose answer only has a shape.
    pub(crate) fn output(&self) -> Option<Schema<'js>> {
        self.output.borrow().clone()
    }

    /// Sets what [`Bag::output`] gives.
    pub(crate) fn set_output(&self, schema: Schema<'js>) {
        self.output.replace(Some(schema));
    }

    /// What a tool was converted to, if that holds for `tool` too.
    pub(crate) fn converted_tool(&self, tool: &ToldTool<'js>) -> Option<Rc<ConvertedTool>> {
        let cached = self.converted.borrow();
        let cached = cached.get(&tool.name).filter(|cached| cached.told.tells_the_same(tool))?;
        Some(cached.converted.clone())
    }

    pub(crate) fn set_converted_tool(&self, told: ToldTool<'js>, converted: Rc<ConvertedTool>) {
        self.converted.borrow_mut().insert(told.name.clone(), CachedTool { told, converted });
    }

    /// Takes out what is known of the data that was written under this name.
    pub(crate) fn take_written(&self, name: &str) -> Option<WrittenData<'js>> {
        self.written.borrow_mut().remove(name)
    }

    /// Sets what [`Bag::take_written`] gives, and forgets what is known of data that is gone.
    pub(crate) fn set_written(&self, name: &str, data: WrittenData<'js>) {
        let mut written = self.written.borrow_mut();
        written.retain(|_, data| data.is_there());
        written.insert(name.to_owned(), data);
    }

    /// The prompt that an agent's child works for.
    pub(crate) fn parent(&self) -> Option<Value<'js>> {
        self.parent.borrow().clone()
    }

    /// Sets what [`Bag::parent`] gives; once a prompt.
    pub(crate) fn set_parent(&self, parent: Value<'js>) {
        self.parent.replace(Some(parent));
    }

    /// The run under way or the last one.
    pub(crate) fn run(&self) -> Option<Class<'js, PromptRun<'js>>> {
        self.run.borrow().clone()
    }

    /// Begins a run; what belonged to the one before goes with it, unless somebody still holds its result.
    pub(crate) fn set_run(&self, run: Class<'js, PromptRun<'js>>) {
        self.run.replace(Some(run));
    }
}
