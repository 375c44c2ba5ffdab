//! What of a request changes with the clock or with random numbers. Providers cache a request by its beginning, system
//! prompt and tools, and the function runs again before every step.

use indexmap::IndexMap;
use rquickjs::{Ctx, Result};

use super::{
    clock::Clock,
    fault::{Fault, FaultSeverity},
};
use crate::{
    bindings::{
        prompt::recorded,
        run::{deadlock::detect_deadlock, host::ScriptPrompt},
        values::plain_error,
    },
    prompt::{DefinitionKind, PromptHost, Variable},
};

const HINT: &str = "write it into a message, or keep the first value: const [value] = defState('value', …)";

type Texts = IndexMap<(DefinitionKind, String), String>;

/// Runs the function twice more, with different times and random numbers. Returns a warning for each definition whose
/// text differs; none if the function fails.
pub(super) async fn varying_definitions<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>) -> Vec<Fault> {
    recorded::start_locating(ctx);
    let both = async { Ok((texts_at(ctx, host, Clock::First).await?, texts_at(ctx, host, Clock::Minutes).await?)) };
    let Ok((before, after)) = detect_deadlock(ctx, "the prompt function", both).await else {
        ctx.catch();
        return Vec::new();
    };
    let differs = |(definition, text): (_, &String)| after.get(definition).is_some_and(|after| after != text);
    before.iter().filter(|found| differs(*found)).map(|((kind, name), _)| fault(ctx, *kind, name)).collect()
}

async fn texts_at<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>, clock: Clock) -> Result<Texts> {
    clock.set(ctx)?;
    host.rerun().await.map_err(|error| plain_error(ctx, error.to_string()))?;
    let prompt = host.prompt().borrow();
    let sections = prompt.systems().map(|(name, text)| ((DefinitionKind::DefSystem, name.to_owned()), text.to_owned()));
    let variables = prompt.variables().map(|(name, value)| match value {
        Variable::Text(text) => ((DefinitionKind::Def, name.to_owned()), text.clone()),
        Variable::Data(data) => ((DefinitionKind::DefData, name.to_owned()), data.yaml().to_owned()),
    });
    let tools = prompt.tools().map(|(name, tool)| ((tool.kind, name.to_owned()), tool.description.clone()));
    Ok(sections.chain(variables).chain(tools).collect())
}

fn fault(ctx: &Ctx<'_>, kind: DefinitionKind, name: &str) -> Fault {
    let message = format!(
        "{}('{name}', …) differs each time the function runs, as with Date.now(), new Date() or Math.random(): every \
         step and a resumed run send another text, which the provider's cache does not have",
        kind.method()
    );
    let fault = Fault::error("cache", &[], message).with_severity(FaultSeverity::Warning);
    Fault { location: recorded::location_of(ctx, &[kind], name), ..fault }.with_hint(Some(HINT.to_owned()))
}
