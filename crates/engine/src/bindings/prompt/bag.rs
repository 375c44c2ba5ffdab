//! The JavaScript values of one prompt.
//!
//! The fields are traced by the garbage collector, so values die with their prompt. No field is borrowed while
//! JavaScript runs: a callback may define or set something. A bag belongs to exactly one prompt object, as the
//! collector counts each value once.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use rquickjs::{
    Array, Class, Function, JsLifetime, Object, Value,
    class::{Trace, Tracer},
};

use super::{
    entry::{CallOptions, Entry, Registry},
    mcp_server::McpServer,
    run::PromptRun,
    state_entry::StateEntry,
    trace_cell::trace_cell,
    unconverted_tool::{ConvertedTool, UnconvertedTool},
    written_data::WrittenData,
};
use crate::bindings::values::schema::Schema;

#[derive(Clone, Trace, JsLifetime)]
pub struct Effect<'js> {
    /// `fn(context, stepModifier)`, as of the latest run of the body.
    pub function: Function<'js>,
    /// As of the latest run of the body; `None` for an effect that runs on every step.
    pub deps: Option<Array<'js>>,
    pub last_deps: Option<Array<'js>>,
    pub ran: bool,
    pub clean_up: Option<Function<'js>>,
}

#[derive(Clone, Trace, JsLifetime)]
struct CachedTool<'js> {
    source: UnconvertedTool<'js>,
    #[qjs(skip_trace)]
    converted: Rc<ConvertedTool>,
}

#[derive(Default, JsLifetime)]
pub struct Bag<'js> {
    function: RefCell<Option<Function<'js>>>,
    input: RefCell<Option<Value<'js>>>,
    model: RefCell<Option<Value<'js>>>,
    options: RefCell<Option<Object<'js>>>,
    plugins: RefCell<Vec<Value<'js>>>,
    // The order of definitions is in `prompt::Prompt`.
    tools: RefCell<HashMap<String, Entry<'js>>>,
    functions: RefCell<HashMap<String, Entry<'js>>>,
    methods: RefCell<HashMap<String, Entry<'js>>>,
    states: RefCell<HashMap<String, StateEntry<'js>>>,
    effects: RefCell<Vec<Effect<'js>>>,
    servers: RefCell<Vec<McpServer<'js>>>,
    task_graph: RefCell<Option<Object<'js>>>,
    messages: RefCell<Option<Array<'js>>>,
    output: RefCell<Option<Schema<'js>>>,
    converted: RefCell<HashMap<String, CachedTool<'js>>>,
    run: RefCell<Option<Class<'js, PromptRun<'js>>>>,
    parent: RefCell<Option<Value<'js>>>,
    /// Not traced: strings and numbers hold no references.
    written: RefCell<HashMap<String, WrittenData<'js>>>,
}

impl<'js> Trace<'js> for Bag<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        // Every cell must be here. An untraced cell leaks its value, and through the prompt that callbacks close
        // over, the bag itself.
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
    /// The prompt function; `None` for agents' children and prompts that a script runs itself.
    pub fn function(&self) -> Option<Function<'js>> {
        self.function.borrow().clone()
    }

    pub fn set_function(&self, function: Function<'js>) {
        self.function.replace(Some(function));
    }

    pub fn input(&self) -> Option<Value<'js>> {
        self.input.borrow().clone()
    }

    pub fn set_input(&self, input: Value<'js>) {
        self.input.replace(Some(input));
    }

    pub fn model(&self) -> Option<Value<'js>> {
        self.model.borrow().clone()
    }

    pub fn set_model(&self, model: Value<'js>) {
        self.model.replace(Some(model));
    }

    /// Unchecked.
    pub fn options(&self) -> Option<Object<'js>> {
        self.options.borrow().clone()
    }

    pub fn set_options(&self, options: Object<'js>) {
        self.options.replace(Some(options));
    }

    pub fn plugins(&self) -> Vec<Value<'js>> {
        self.plugins.borrow().clone()
    }

    pub fn add_plugins(&self, plugins: Vec<Value<'js>>) {
        self.plugins.borrow_mut().extend(plugins);
    }

    fn registry(&self, registry: Registry) -> &RefCell<HashMap<String, Entry<'js>>> {
        match registry {
            Registry::Tools => &self.tools,
            Registry::Functions => &self.functions,
            Registry::Methods => &self.methods,
        }
    }

    pub fn entry(&self, registry: Registry, name: &str) -> Option<Entry<'js>> {
        self.registry(registry).borrow().get(name).cloned()
    }

    /// Reads an entry without cloning it. `read` must not call JavaScript.
    pub fn with_entry<T>(&self, registry: Registry, name: &str, read: impl FnOnce(&Entry<'js>) -> T) -> Option<T> {
        self.registry(registry).borrow().get(name).map(read)
    }

    pub fn set_entry(&self, registry: Registry, name: &str, entry: Entry<'js>) {
        self.registry(registry).borrow_mut().insert(name.to_owned(), entry);
    }

    pub fn remove_entry(&self, registry: Registry, name: &str) {
        self.registry(registry).borrow_mut().remove(name);
    }

    pub fn set_call_options(&self, registry: Registry, name: &str, options: &CallOptions<'js>) {
        if let Some(entry) = self.registry(registry).borrow_mut().get_mut(name) {
            entry.callables_mut().into_iter().for_each(|callable| {
                let response_schema = callable.options.response_schema.take();
                callable.options = options.with_response(response_schema);
            });
        }
    }

    pub fn servers(&self) -> Vec<McpServer<'js>> {
        self.servers.borrow().clone()
    }

    pub fn server(&self, name: &str) -> Option<McpServer<'js>> {
        self.servers.borrow().iter().find(|server| server.config.name == name).cloned()
    }

    pub fn set_server(&self, server: McpServer<'js>) {
        let mut servers = self.servers.borrow_mut();
        match servers.iter_mut().find(|known| known.config.name == server.config.name) {
            Some(known) => *known = server,
            None => servers.push(server),
        }
    }

    pub fn remove_server(&self, name: &str) {
        self.servers.borrow_mut().retain(|server| server.config.name != name);
    }

    pub fn state(&self, key: &str) -> Option<StateEntry<'js>> {
        self.states.borrow().get(key).cloned()
    }

    pub fn set_state(&self, key: String, entry: StateEntry<'js>) {
        self.states.borrow_mut().insert(key, entry);
    }

    pub fn states(&self) -> Vec<(String, StateEntry<'js>)> {
        let states = self.states.borrow();
        let mut states: Vec<_> = states.iter().map(|(key, entry)| (key.clone(), entry.clone())).collect();
        states.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        states
    }

    pub fn effects(&self) -> &RefCell<Vec<Effect<'js>>> {
        &self.effects
    }

    pub fn task_graph(&self) -> Option<Object<'js>> {
        self.task_graph.borrow().clone()
    }

    pub fn set_task_graph(&self, holder: Object<'js>) {
        self.task_graph.replace(Some(holder));
    }

    /// Message objects for effects, cached because creating them on every step is slow in a long run.
    pub fn messages(&self) -> Option<Array<'js>> {
        self.messages.borrow().clone()
    }

    pub fn set_messages(&self, messages: Array<'js>) {
        self.messages.replace(Some(messages));
    }

    /// The schema of the prompt's own `output`; `None` for an agent.
    pub fn output(&self) -> Option<Schema<'js>> {
        self.output.borrow().clone()
    }

    pub fn set_output(&self, schema: Schema<'js>) {
        self.output.replace(Some(schema));
    }

    pub fn converted_tool(&self, tool: &UnconvertedTool<'js>) -> Option<Rc<ConvertedTool>> {
        let cached = self.converted.borrow();
        let cached = cached.get(&tool.name).filter(|cached| cached.source.converts_as(tool))?;
        Some(cached.converted.clone())
    }

    pub fn set_converted_tool(&self, source: UnconvertedTool<'js>, converted: Rc<ConvertedTool>) {
        self.converted.borrow_mut().insert(source.name.clone(), CachedTool { source, converted });
    }

    pub fn take_written(&self, name: &str) -> Option<WrittenData<'js>> {
        self.written.borrow_mut().remove(name)
    }

    pub fn set_written(&self, name: &str, data: WrittenData<'js>) {
        let mut written = self.written.borrow_mut();
        written.retain(|_, data| data.is_in_use());
        written.insert(name.to_owned(), data);
    }

    /// The prompt whose agent this is.
    pub fn parent(&self) -> Option<Value<'js>> {
        self.parent.borrow().clone()
    }

    pub fn set_parent(&self, parent: Value<'js>) {
        self.parent.replace(Some(parent));
    }

    pub fn run(&self) -> Option<Class<'js, PromptRun<'js>>> {
        self.run.borrow().clone()
    }

    pub fn set_run(&self, run: Class<'js, PromptRun<'js>>) {
        self.run.replace(Some(run));
    }
}
