//! The order in which a prompt file is looked at, and what may end it early. Must not know where the engine comes from.

use std::{
    cell::{Cell, RefCell},
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Function, Object, Result, Value};

use super::{
    exports::{self, Exports, calls_against, names_against},
    fault::{Fault, Inspection, Rendered, Weight},
    input::{Given, input, is_told},
    render::{self, config_with},
    silence::Silence,
    stand_in,
    verdict::{Phase, halted, judged, notes, thrown, thrown_by_load},
};
use crate::{
    diagnostic::Location,
    input::CommandLine,
    prompt::PromptHost,
    script::{
        Engine,
        bindings::{
            prompt::doubles::{self, Double},
            run::{
                answer,
                file::{config_object, default_function},
                host::ScriptPrompt,
                stuck::{WAITS, unless_stuck},
            },
        },
        drain_jobs, import_file_once, location_of_function, only_await, set_deadline, until_halted,
    },
};

/// How often others get a turn after the render, so that a promise that nobody handles is found.
const TURNS_AFTER: usize = 8;

/// How a file is to be looked at.
pub(crate) struct Inspected<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    /// Whether the function runs; else only exports are looked at.
    pub(crate) render: bool,
    /// The input for it.
    pub(crate) line: &'a CommandLine,
    /// How long all of it may take.
    pub(crate) limit: Duration,
    /// Who stands in for models.
    pub(crate) silence: &'a Silence,
}

/// Loads a prompt file, looks at its exports, and renders it once, in an engine of its own that has the bindings installed.
pub(crate) async fn inspect_file(engine: &Engine, asked: &Inspected<'_>) -> Inspection {
    let look = async |ctx: Ctx<'_>| {
        let looker = Looker {
            ctx: &ctx,
            asked,
            phase: Cell::new(Phase::Load),
            function_at: RefCell::default(),
            found: RefCell::default(),
        };
        looker.look().await;
        looker.found.into_inner()
    };
    engine.context().async_with(look).await
}

/// Why looking ended: the fault is told.
struct Stop(Fault);

struct Looker<'a, 'js> {
    ctx: &'a Ctx<'js>,
    asked: &'a Inspected<'a>,
    phase: Cell<Phase>,
    /// Where the prompt function is.
    function_at: RefCell<Option<Location>>,
    found: RefCell<Inspection>,
}

impl<'js> Looker<'_, 'js> {
    async fn look(&self) {
        let (ctx, limit) = (self.ctx, self.asked.limit);
        let began = Instant::now();
        // Without them nothing worse happens than that less is found.
        let _ = set_deadline(ctx, Some(began + limit)).and_then(|()| doubles::watch(ctx));
        let ended = tokio::select! {
            biased;
            ended = until_halted(ctx, self.steps()) => Some(ended),
            () = tokio::time::sleep(limit) => None,
        };
        let stop = match ended {
            Some(Ok(Ok(()))) => None,
            Some(Ok(Err(Stop(fault)))) => Some(fault),
            Some(Err(halt)) => Some(halted(ctx, halt, self.phase.get())),
            None => Some(self.late()),
        };
        let stop = stop.map(|fault| match began.elapsed() >= limit {
            true => Fault { location: fault.location, ..self.late() },
            false => fault,
        });
        // Of a promise that never settles, or a value that is no error, nobody knows where it comes from.
        let stop = stop.map(|fault| match fault.location {
            Some(_) => fault,
            None => Fault { location: self.likely_place(&fault), ..fault },
        });
        let told = match stop {
            Some(fault) => judged(ctx, fault, self.asked.silence.was_asked()),
            None => notes(ctx, ""),
        };
        let mut found = self.found.borrow_mut();
        found.faults.extend(doubles::noted(ctx).into_iter().map(doubled));
        found.faults.extend(told);
    }

    /// Where something stands that did not say it.
    fn likely_place(&self, fault: &Fault) -> Option<Location> {
        let function = match self.phase.get() {
            Phase::Render => self.function_at.take()?,
            Phase::Load => {
                let path = std::fs::canonicalize(self.asked.path).ok()?.display().to_string();
                Location { path, line: 0, column: 0 }
            }
        };
        let waits = fault.message.contains(WAITS).then(|| only_await(self.ctx, &function)).flatten();
        waits.or(Some(function).filter(|function| function.line > 0))
    }

    /// What is missing where the parameters of the prompt function cannot be taken apart: that is an error of the function itself,
    /// before its first line.
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

    fn late(&self) -> Fault {
        let (phase, seconds) = (self.phase.get(), self.asked.limit.as_secs_f64());
        Fault::error(phase.code(), &[], format!("{} did not end within {seconds} s", phase.words()))
    }

    async fn steps(&self) -> std::result::Result<(), Stop> {
        let ctx = self.ctx;
        let loaded = unless_stuck(ctx, "loading the file", import_file_once(ctx, self.asked.path)).await;
        let namespace = loaded.map_err(|error| Stop(thrown_by_load(ctx, error)))?;
        let made = self.exports(&namespace).await.map_err(|error| Stop(thrown(ctx, error, "export")))?;
        self.phase.set(Phase::Render);
        if let (Some(host), exports) = made {
            let rendered = render::render(ctx, &host).await;
            let rendered = rendered.map_err(|fault| Stop(self.with_input_hint(fault, &namespace)))?;
            self.told_of(&host, exports, rendered).await;
        }
        for _ in 0..TURNS_AFTER {
            tokio::task::yield_now().await;
            drain_jobs(ctx);
        }
        Ok(())
    }

    /// Holds what the exports say against the first render.
    async fn told_of(&self, host: &ScriptPrompt<'js>, mut exports: Exports, rendered: Rendered) {
        exports::judge(self.ctx, &host.object(), &mut exports.mock).await;
        let defined: Vec<String> = host.prompt().borrow().tools().map(|(name, _)| name.to_owned()).collect();
        let mut found = self.found.borrow_mut();
        found.faults.extend(calls_against(&exports.mock, &rendered.tools, &rendered.to_come));
        found.faults.extend(names_against(&exports.named, &rendered, &defined));
        if rendered.messages.is_empty() && !self.asked.silence.was_asked() {
            let message = "the prompt function says nothing: the model gets no message and no system prompt";
            let hint = "add a message: $`Hello`, or defSystem('role', 'You are …')";
            let fault = Fault::error("render", &["default"], message).weighing(Weight::Warning);
            found.faults.push(fault.with_hint(Some(hint.to_owned())));
        }
        found.rendered = Some(rendered);
    }

    /// Looks at the exports; gives what is to be rendered, if that can be done, and what the exports say of tools.
    async fn exports(&self, namespace: &Object<'js>) -> Result<(Option<Rc<ScriptPrompt<'js>>>, Exports)> {
        let (ctx, path) = (self.ctx, self.asked.path);
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let mut exports = exports::look(ctx, namespace, &name);
        let mut faults = std::mem::take(&mut exports.faults);
        let host = self.host(namespace, &name, &mut faults).await;
        let mut found = self.found.borrow_mut();
        found.faults.extend(faults);
        found.models.append(&mut exports.models);
        drop(found);
        Ok((host?, exports))
    }

    /// What renders, with as much of `config` as can be used.
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
            // It was told where exports are looked at.
            ctx.catch();
            return Ok(None);
        };
        if !self.asked.render || exports::forbid_render(faults) {
            return Ok(None);
        }
        let input = match input(ctx, namespace, name, self.asked.line, faults).await {
            Given::Missing => return Ok(None),
            Given::Nothing => None,
            Given::Value(input) => Some(input),
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
        let model = stand_in::model(ctx, namespace, config, name)?;
        let output: Value =
            if is_told(faults, &["output"]) { Value::new_undefined(ctx.clone()) } else { namespace.get("output")? };
        let place = format!("the export output of {name}");
        for bare in [false, true] {
            let config = config_with(ctx, config, &model, bare)?;
            match render::host(ctx, function, &config, |prompt| answer::expect(ctx, prompt, &output, &place)) {
                Ok(host) => return Ok(Some(host)),
                Err(error) => {
                    let fault = thrown(ctx, error, "config");
                    if !is_told(faults, &["config", "output"]) {
                        faults.push(fault.or_about(&["config"]));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn doubled(double: Double) -> Fault {
    let Double { name, before, again, location } = double;
    let (before, again) = (before.method(), again.method());
    let message = match before == again {
        true => format!("{again}('{name}') is called a second time and replaces the definition before"),
        false => format!("{again}('{name}') replaces what {before}('{name}') has defined"),
    };
    let fault = Fault::error("definition", &[], message).weighing(Weight::Warning);
    Fault { location, ..fault }.with_hint(Some("give one of them another name".to_owned()))
}
