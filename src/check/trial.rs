//! Until the flow of inspection is there: loads a file and looks at its exports.

use std::{path::Path, rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use super::{Finding, Severity, locate::Places};
use crate::{
    code::Language,
    event::Events,
    prompt::{PromptHost, RunError, RunLimits, StepLoop},
    provider::ProviderContext,
    script::{
        Engine, EngineOptions, SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{
            self, Doors, Exchanges,
            inspect::{self, Weight},
        },
        import_prompt_file,
    },
};

struct Quiet;
impl ScriptHost for Quiet {
    fn write_stdout(&self, _: &str) {}
    fn write_stderr(&self, _: &str) {}
}
struct None_;
impl StepLoop for None_ {
    fn run<'a>(self: Rc<Self>, _: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        async {}.boxed_local()
    }
}
impl RunLimits for None_ {
    fn configure(&self, _: &Value, _: &Value) -> Result<Vec<String>, RunError> {
        Ok(Vec::new())
    }
    fn add_prices(&self, _: &Value) -> Result<(), String> {
        Ok(())
    }
    fn may_end(&self) -> bool {
        false
    }
    fn deadline(&self) -> Option<Instant> {
        None
    }
    fn ended(&self) -> Option<Rc<RunError>> {
        None
    }
    fn reached(&self) -> LocalBoxFuture<'_, ()> {
        std::future::pending().boxed_local()
    }
}

pub(super) fn inspect(file: &Path) -> Vec<Finding> {
    let variables: Vec<(String, String)> = std::env::vars().collect();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let language = if file.extension().is_some_and(|end| end.to_string_lossy().ends_with("ts")) {
        Language::TypeScript
    } else {
        Language::JavaScript
    };
    let places = Places::of(&text, language);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return Vec::new() };
    let local = tokio::task::LocalSet::new();
    let faults = local.block_on(&runtime, async {
        let env: std::collections::BTreeMap<String, String> = variables.iter().cloned().collect();
        let doors = Doors {
            step_loop: Rc::new(None_),
            limits: Rc::new(None_),
            providers: ProviderContext::new(Rc::new(env)),
            exchanges: Exchanges::Live,
            events: Events::new(Vec::new()),
        };
        let engine = Engine::new(EngineOptions {
            native_modules: bindings::NATIVE_MODULES.to_vec(),
            env: variables,
            max_stack_size: SCRIPT_STACK_SIZE,
            ..EngineOptions::new(Rc::new(Quiet))
        });
        let Ok(engine) = engine.await else { return Vec::new() };
        let _ = engine.context().with(|ctx| bindings::install(&ctx, doors)).await;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let faults = engine
            .context()
            .async_with(async |ctx| match import_prompt_file(&ctx, file).await {
                Ok(namespace) => inspect::look(&ctx, &namespace, &name).faults,
                Err(error) => {
                    let diagnostic = crate::script::diagnose_error(&ctx, error).diagnostic;
                    vec![inspect::Fault {
                        place: Vec::new(),
                        location: diagnostic.location,
                        weight: Weight::Error,
                        code: "import",
                        message: diagnostic.message,
                        hint: diagnostic.hint,
                    }]
                }
            })
            .await;
        engine.abandon();
        faults
    });
    let finding = |fault: inspect::Fault| Finding {
        file: file.to_owned(),
        span: places.span(&fault.place),
        severity: match fault.weight {
            Weight::Error => Severity::Error,
            Weight::Warning => Severity::Warning,
            Weight::Note => Severity::Note,
        },
        code: fault.code.to_owned(),
        message: fault.message,
        hint: fault.hint,
        related: Vec::new(),
    };
    faults.into_iter().map(finding).collect()
}
