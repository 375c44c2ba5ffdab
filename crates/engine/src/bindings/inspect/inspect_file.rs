//! Inspection of a prompt file: load, exports, input, first render.

use std::{
    cell::{Cell, RefCell},
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Function, Object, Result, Value};

use super::{
    clock::{Clock, restart_random},
    exports::{self, Exports, calls_against, names_against},
    fault::{Fault, FaultSeverity, Inspection, Rendered},
    input::{RenderInput, has_error_in, render_input},
    no_models::NoModels,
    render::{self, config_with, second_step},
    thrown_fault::{Phase, fault_of, halt_fault, load_fault, qualify, refusal_notes},
    varying::varying_definitions,
};
use crate::{
    bindings::{
        prompt::recorded::{self, Definition, Redefinition},
        run::{
            answer,
            deadlock::{NEVER_SETTLES, detect_deadlock},
            file::{config_object, default_function},
            host::ScriptPrompt,
        },
    },
    prompt::PromptHost,
};
use lmthing_base::{chat::Role, diagnostic::Location, input::CommandLine};
use lmthing_node::{
    Engine, Halt, drain_jobs, import_file_once, location_of_function, only_await, set_deadline, until_halted,
};

/// Number of event loop turns after the render, to find unhandled rejections.
const TURNS_AFTER: usize = 8;

/// How long the search for what varies may run the function again.
pub const REPEAT_LIMIT: Duration = Duration::from_secs(2);

pub struct InspectOptions<'a> {
    pub path: &'a Path,
    pub render: bool,
    pub line: &'a CommandLine,
    pub limit: Duration,
    pub no_models: &'a NoModels,
    pub search: Search,
    /// Whether every definition is located, which is slow. A comparison of requests does so in any case.
    pub locate: bool,
    /// Set while the function runs again: what it prints then was printed before.
    pub is_repeating: &'a Cell<bool>,
}

/// The search for what changes from request to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Nothing,
    /// Runs the function again, for what changes with the clock or with random numbers.
    Reruns,
    /// Collects the pieces of the first request, made at this time, and with [`Clock::First`] those of a second step. The
    /// caller compares them.
    Steps(Clock),
}

pub async fn inspect_file(engine: &Engine, options: &InspectOptions<'_>) -> Inspection {
    let inspect = async |ctx: Ctx<'_>| {
        let inspector = Inspector {
            ctx: &ctx,
            options,
            phase: Cell::new(Phase::Load),
            function_at: RefCell::default(),
            inspection: RefCell::default(),
        };
        inspector.inspect().await;
        inspector.inspection.into_inner()
    };
    engine.context().async_with(inspect).await
}

struct Stop(Fault);

struct Inspector<'a, 'js> {
    ctx: &'a Ctx<'js>,
    options: &'a InspectOptions<'a>,
    phase: Cell<Phase>,
    function_at: RefCell<Option<Location>>,
    inspection: RefCell<Inspection>,
}

impl<'js> Inspector<'_, 'js> {
    async fn inspect(&self) {
        let (ctx, limit) = (self.ctx, self.options.limit);
        let began = Instant::now();
        // A failure here only makes the inspection less thorough.
        let _ = set_deadline(ctx, Some(began + limit)).and_then(|()| recorded::start_recording(ctx));
        if self.options.locate {
            recorded::start_locating(ctx);
        }
        if let Search::Steps(clock) = self.options.search {
            recorded::start_locating(ctx);
            let _ = clock.set(ctx);
        }
        let ended = tokio::select! {
            biased;
            ended = until_halted(ctx, self.steps()) => Some(ended),
            () = tokio::time::sleep(limit) => None,
        };
        let (host, stop) = match ended {
            Some(Ok(Ok(host))) => (host, None),
            Some(Ok(Err(Stop(fault)))) => (None, Some(fault)),
            Some(Err(halt)) => (None, Some(halt_fault(ctx, halt, self.phase.get()))),
            None => (None, Some(self.timed_out())),
        };
        let stop = stop.map(|fault| match began.elapsed() >= limit {
            true => Fault { location: fault.location, ..self.timed_out() },
            false => fault,
        });
        // A promise that never settles and a thrown value that is no error have no location.
        let stop = stop.map(|fault| match fault.location {
            Some(_) => fault,
            None => Fault { location: self.likely_location(&fault), ..fault },
        });
        let faults = match stop {
            Some(fault) => qualify(ctx, fault, self.options.no_models.was_called()),
            None => refusal_notes(ctx, ""),
        };
        let redefinitions = recorded::redefinitions(ctx).into_iter().map(redefinition_fault);
        let refused = recorded::refused_names(ctx).into_iter().map(refused_name_fault);
        self.inspection.borrow_mut().faults.extend(redefinitions.chain(refused).chain(faults));
        if let Some(host) = host {
            self.search(&host).await;
        }
    }

    /// Runs the function again, to find what changes from request to request.
    async fn search(&self, host: &ScriptPrompt<'js>) {
        let ctx = self.ctx;
        match self.options.search {
            // Finds nothing if that takes too long.
            Search::Reruns => {
                let varying = self.repeat(REPEAT_LIMIT, varying_definitions(ctx, host)).await;
                self.inspection.borrow_mut().faults.extend(varying.and_then(|found| found.ok()).unwrap_or_default());
            }
            Search::Steps(Clock::First) => {
                self.phase.set(Phase::SecondStep);
                let second_step = async {
                    let _ = Clock::Minutes.set(ctx);
                    second_step(ctx, host).await
                };
                let second = match self.repeat(self.options.limit, second_step).await {
                    Some(Ok(second)) => second,
                    Some(Err(halt)) => Err(halt_fault(ctx, halt, Phase::SecondStep)),
                    None => Err(self.timed_out()),
                };
                self.inspection.borrow_mut().second_step = Some(second);
            }
            Search::Nothing | Search::Steps(_) => {}
        }
    }

    /// Runs the function again in some way, without printing; `None` if that takes too long.
    async fn repeat<T>(&self, limit: Duration, again: impl Future<Output = T>) -> Option<std::result::Result<T, Halt>> {
        self.options.is_repeating.set(true);
        set_deadline(self.ctx, Some(Instant::now() + limit)).ok()?;
        tokio::select! {
            biased;
            found = until_halted(self.ctx, again) => Some(found),
            () = tokio::time::sleep(limit) => None,
        }
    }

    fn likely_location(&self, fault: &Fault) -> Option<Location> {
        let function = match self.phase.get() {
            Phase::Render | Phase::SecondStep => self.function_at.take()?,
            Phase::Load => {
                let path = std::fs::canonicalize(self.options.path).ok()?.display().to_string();
                Location { path, line: 0, column: 0 }
            }
        };
        let waits = fault.message.contains(NEVER_SETTLES).then(|| only_await(self.ctx, &function)).flatten();
        waits.or(Some(function).filter(|function| function.line > 0))
    }

    /// Adds a hint if destructuring the function's second parameter failed because the file exports no `input`.
    fn with_input_hint(&self, fault: Fault, namespace: &Object<'js>) -> Fault {
        let is_of_parameters = fault.location.is_some() && fault.location == *self.function_at.borrow();
        let parameters =
            namespace.get::<_, Function>("default").and_then(|function| function.get::<_, usize>("length"));
        let is_of_parameters = is_of_parameters && parameters.is_ok_and(|count| count > 1);
        if !is_of_parameters || fault.hint.is_some() || namespace.contains_key("input").unwrap_or(true) {
            return fault;
        }
        fault.with_hint(Some("the file exports no input: export const input = z.object({ … })".to_owned()))
    }

    fn timed_out(&self) -> Fault {
        let (phase, seconds) = (self.phase.get(), self.options.limit.as_secs_f64());
        Fault::error(phase.code(), &[], format!("{} did not end within {seconds} s", phase.description()))
    }

    /// Returns the prompt, if it was rendered.
    async fn steps(&self) -> std::result::Result<Option<Rc<ScriptPrompt<'js>>>, Stop> {
        let ctx = self.ctx;
        let loaded = detect_deadlock(ctx, "loading the file", import_file_once(ctx, self.options.path)).await;
        let namespace = loaded.map_err(|error| Stop(load_fault(ctx, error)))?;
        let made = self.exports(&namespace).await.map_err(|error| Stop(fault_of(ctx, error, "export")))?;
        self.phase.set(Phase::Render);
        let (host, exports) = made;
        if let Some(host) = &host {
            let collects_pieces = matches!(self.options.search, Search::Steps(_));
            if collects_pieces {
                let _ = restart_random(ctx);
            }
            let rendered = render::render(ctx, host, collects_pieces).await;
            let rendered = rendered.map_err(|fault| Stop(self.with_input_hint(fault, &namespace)))?;
            self.compare_with_render(host, exports, rendered).await;
        }
        for _ in 0..TURNS_AFTER {
            tokio::task::yield_now().await;
            drain_jobs(ctx);
        }
        Ok(host)
    }

    async fn compare_with_render(&self, host: &ScriptPrompt<'js>, mut exports: Exports, rendered: Rendered) {
        exports::check_arguments(self.ctx, &host.object(), &mut exports.mock).await;
        let defined: Vec<String> = host.prompt().borrow().tools().map(|(name, _)| name.to_owned()).collect();
        let mut inspection = self.inspection.borrow_mut();
        inspection.faults.extend(calls_against(&exports.mock, &rendered.tools, &rendered.expected_names));
        inspection.faults.extend(names_against(&exports.named, &rendered, &defined));
        let has_question = rendered.messages.iter().any(|message| message.role == Role::User);
        if !has_question && !self.options.no_models.was_called() {
            inspection.faults.push(no_user_message());
        }
        let refused = rendered.refused.iter().map(|why| Fault::error("model", &["config", "model"], why.clone()));
        inspection.faults.extend(refused);
        inspection.rendered = Some(rendered);
    }

    async fn exports(&self, namespace: &Object<'js>) -> Result<(Option<Rc<ScriptPrompt<'js>>>, Exports)> {
        let (ctx, path) = (self.ctx, self.options.path);
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let mut exports = exports::check(ctx, namespace, &name);
        let mut faults = std::mem::take(&mut exports.faults);
        let host = self.host(namespace, &name, &mut faults).await;
        let mut inspection = self.inspection.borrow_mut();
        inspection.faults.extend(faults);
        inspection.models.append(&mut exports.models);
        drop(inspection);
        Ok((host?, exports))
    }

    /// Creates the prompt with as much of `config` as is usable.
    async fn host(
        &self,
        namespace: &Object<'js>,
        name: &str,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Rc<ScriptPrompt<'js>>>> {
        let ctx = self.ctx;
        let own =
            default_function(ctx, namespace, name).and_then(|own| Ok((own, config_object(ctx, namespace, name)?)));
        let Ok((function, config)) = own else {
            // Reported with the exports.
            ctx.catch();
            return Ok(None);
        };
        if !self.options.render || exports::prevent_render(faults) {
            return Ok(None);
        }
        let input = match render_input(ctx, namespace, name, self.options.line, faults).await {
            RenderInput::Missing => return Ok(None),
            RenderInput::Nothing => None,
            RenderInput::Value(input) => Some(input),
        };
        self.function_at.replace(location_of_function(ctx, &function));
        let host = self.host_of(namespace, name, &function, &config, faults)?;
        if let (Some(input), Some(host)) = (input, &host) {
            host.object().borrow().bag.set_input(input);
        }
        Ok(host)
    }

    fn host_of(
        &self,
        namespace: &Object<'js>,
        name: &str,
        function: &Function<'js>,
        config: &Object<'js>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Rc<ScriptPrompt<'js>>>> {
        let ctx = self.ctx;
        let model = render::render_model(ctx, namespace, config, name)?;
        let output: Value = if has_error_in(faults, &["output"]) {
            Value::new_undefined(ctx.clone())
        } else {
            namespace.get("output")?
        };
        let place = format!("the export output of {name}");
        for bare in [false, true] {
            let config = config_with(ctx, config, &model, bare)?;
            match render::host(ctx, function, &config, |prompt| answer::expect_output(ctx, prompt, &output, &place)) {
                Ok(host) => return Ok(Some(host)),
                Err(error) => {
                    let fault = fault_of(ctx, error, "config");
                    if !has_error_in(faults, &["config", "output"]) {
                        faults.push(fault.with_default_place(&["config"]));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn no_user_message() -> Fault {
    let message = "the prompt function adds no user message: most providers refuse a request without one";
    let fault = Fault::error("message", &["default"], message).with_severity(FaultSeverity::Warning);
    fault.with_hint(Some("add a message: $`Hello`".to_owned()))
}

fn refused_name_fault(Definition { kind, name, location }: Definition) -> Fault {
    let message = format!(
        "{}('{name}', …): some providers refuse a tool of this name and get another in its place",
        kind.method()
    );
    let fault = Fault::error("definition", &[], message).with_severity(FaultSeverity::Warning);
    let hint = "all accept up to 64 of the letters a to z and A to Z, digits, _ and -";
    Fault { location, ..fault }.with_hint(Some(hint.to_owned()))
}

fn redefinition_fault(redefinition: Redefinition) -> Fault {
    let Redefinition { before, again: Definition { kind, name, location } } = redefinition;
    let (before, again) = (before.method(), kind.method());
    let message = match before == again {
        true => format!("{again}('{name}') is called a second time and replaces the definition before"),
        false => format!("{again}('{name}') replaces what {before}('{name}') has defined"),
    };
    let fault = Fault::error("definition", &[], message).with_severity(FaultSeverity::Warning);
    Fault { location, ..fault }.with_hint(Some("give one of them another name".to_owned()))
}
