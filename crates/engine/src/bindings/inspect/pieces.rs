//! What a request is made of, by definition, to compare requests with each other (`lmthing check --cache`).

use lmthing_base::{
    chat::{CallSettings, ContentPart, Message, SystemPart, SystemPartKind, ToolSpec},
    diagnostic::{Location, PathKey},
};
use lmthing_providers::Redactor;
use lmthing_typescript::code::Declaration;
use rquickjs::Ctx;

use crate::{
    bindings::{
        prompt::recorded::{self, Modified},
        run::host::ScriptPrompt,
    },
    plugin::{run_tool_code, text_methods},
    prompt::{ANSWER_SECTION, DefinitionKind, FunctionDefinition, Prompt, PromptHost, RunError, RunSettings, StepPlan},
};

/// A part of a request that changes as a whole, in the order of requests: tools, system prompt, messages, options.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub kind: PieceKind,
    pub name: String,
    /// Each text with what it is of the piece; empty if it is the piece.
    pub texts: Vec<(&'static str, String)>,
    /// The functions that a section declares.
    pub parts: Vec<Piece>,
    pub location: Option<Location>,
    /// The path to the value, where there is no location.
    pub place: Vec<PathKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Section,
    Variable,
    Tool,
    Function,
    Message,
    Option,
    Model,
}

impl PieceKind {
    /// As in `brokenBy` (docs/reference/events.md), but single tools and options.
    pub fn noun(self) -> &'static str {
        match self {
            PieceKind::Section => "section",
            PieceKind::Variable => "variable",
            PieceKind::Tool => "tool",
            PieceKind::Function => "function",
            PieceKind::Message => "message",
            PieceKind::Option => "option",
            PieceKind::Model => "model",
        }
    }
}

/// The options that providers cache a request by.
const OPTIONS: [&str; 6] = ["toolChoice", "reasoning", "responseFormat", "tier", "cache", "providerOptions"];

/// The pieces of the request of a step, without reminders.
pub(super) fn pieces(
    ctx: &Ctx<'_>,
    host: &ScriptPrompt<'_>,
    settings: &RunSettings,
    plan: &StepPlan,
) -> Result<Vec<Piece>, RunError> {
    let specs = host.tool_specs(&plan.active.tools)?;
    let prompt = host.prompt().borrow();
    let found = Pieces { ctx, prompt: &prompt, plan };
    let model = host.chosen_model();
    let model = format!("{}:{}", model.provider(), model.model_id());
    let model = Piece::new(PieceKind::Model, "model").with("", model).at(&["config", "model"]);
    let tools = specs.iter().map(|spec| found.tool(spec));
    let system = plan.messages.system().and_then(|system| system.as_text());
    let parts = plan.messages.system_parts().iter();
    let system = parts.filter_map(|part| Some(found.system_part(part, system?.get(part.range.clone())?)));
    let before = [model].into_iter().chain(tools).chain(system).chain(found.messages());
    Ok(before.chain(options(&settings.call)).collect())
}

fn options(settings: &CallSettings) -> Vec<Piece> {
    let settings = settings.to_json();
    let option = |name| {
        let value = settings.get(name)?;
        let place: &[&str] = if name == "responseFormat" { &["output"] } else { &["config", "options", name] };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some(Piece::new(PieceKind::Option, name).with("", text).at(place))
    };
    OPTIONS.into_iter().filter_map(option).collect()
}

struct Pieces<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a Prompt,
    plan: &'a StepPlan,
}

impl Pieces<'_, '_> {
    fn tool(&self, spec: &ToolSpec) -> Piece {
        let kind = self.prompt.tool(&spec.name).map_or(DefinitionKind::DefTool, |tool| tool.kind);
        let other = serde_json::to_string(&(&spec.provider_options, &spec.provider_tool)).unwrap_or_default();
        Piece::new(PieceKind::Tool, &spec.name)
            .with("description", &spec.description)
            .with("input schema", spec.input_schema.to_string())
            .with("options", other)
            .defined(recorded::location_of(self.ctx, &[kind], &spec.name))
    }

    fn system_part(&self, part: &SystemPart, text: &str) -> Piece {
        let name = &*part.name;
        match part.kind {
            SystemPartKind::Plain => {
                Piece::new(PieceKind::Option, "system").with("", text).at(&["config", "options", "system"])
            }
            SystemPartKind::Section => self.section(name, within_tag(name, text)),
            SystemPartKind::Variable => {
                let kinds = [DefinitionKind::Def, DefinitionKind::DefData];
                let defined = recorded::location_of(self.ctx, &kinds, name);
                let defined = defined.or_else(|| recorded::location_of_modified(self.ctx, Modified::Variables));
                Piece::new(PieceKind::Variable, name).with("", within_tag(name, text)).defined(defined)
            }
        }
    }

    fn section(&self, name: &str, text: &str) -> Piece {
        let section = Piece::new(PieceKind::Section, name).with("", text);
        if self.prompt.systems().any(|(own, _)| own == name) {
            return section.defined(recorded::location_of(self.ctx, &[DefinitionKind::DefSystem], name));
        }
        let active = &self.plan.active;
        match (name, recorded::location_of_modified(self.ctx, Modified::Systems)) {
            (ANSWER_SECTION, _) => section.at(&["output"]),
            (run_tool_code::SECTION, _) => {
                Piece { parts: self.functions(DefinitionKind::DefFunction, &active.functions), ..section }
            }
            (text_methods::SECTION, _) => {
                Piece { parts: self.functions(DefinitionKind::DefMethod, &active.methods), ..section }
            }
            (_, Some(modified)) => section.defined(Some(modified)),
            (_, None) => section.at(&["config", "plugins"]),
        }
    }

    fn functions(&self, kind: DefinitionKind, active: &[String]) -> Vec<Piece> {
        let shown = self.prompt.functions(kind).filter(|(name, _)| active.iter().any(|active| active == name));
        let piece = |(name, function): (&str, &FunctionDefinition)| {
            let (description, signatures) = match &*function.declaration {
                Declaration::Function(signature) => ("", std::slice::from_ref(signature)),
                Declaration::Namespace { description, functions, .. } => (description.as_str(), functions.as_slice()),
            };
            let descriptions = signatures.iter().map(|signature| signature.description.as_str());
            let schemas = signatures.iter().map(|signature| {
                format!("{} {:?} {:?}", signature.name, signature.input_schema, signature.output_schema)
            });
            Piece::new(PieceKind::Function, name)
                .with("description", [description].into_iter().chain(descriptions).collect::<String>())
                .with("schemas", schemas.collect::<String>())
                .defined(recorded::location_of(self.ctx, &[function.kind], name))
        };
        shown.map(piece).collect()
    }

    fn messages(&self) -> Vec<Piece> {
        let piece = |(index, message): (usize, &Message), location| {
            Piece::new(PieceKind::Message, &(index + 1).to_string())
                .with("role", message.role.as_str())
                .with("", message_text(message))
                .defined(location)
        };
        let modified = recorded::location_of_modified(self.ctx, Modified::Messages);
        // An effect replaces the conversation by another.
        let is_own = self.plan.messages.length_in(self.prompt.history()).is_some();
        let location = |index| if is_own { recorded::location_of_message(self.ctx, index) } else { modified.clone() };
        let history = self.plan.messages.history();
        history.iter().enumerate().map(|(index, message)| piece((index, message), location(index))).collect()
    }
}

/// The text of a section or variable without its tag.
fn within_tag<'a>(name: &str, text: &'a str) -> &'a str {
    let inner = text.trim_start().strip_prefix(&format!("<{name}>")).unwrap_or(text);
    let inner = inner.trim_end().strip_suffix(&format!("</{name}>")).unwrap_or(inner);
    inner.strip_prefix('\n').unwrap_or(inner).trim_end()
}

fn message_text(message: &Message) -> String {
    let other = message.content_parts().iter().filter(|part| !matches!(part, ContentPart::Text { .. }));
    let other: Vec<String> = other.filter_map(|part| serde_json::to_string(part).ok()).collect();
    message.plain_text() + &other.concat()
}

impl Piece {
    fn new(kind: PieceKind, name: &str) -> Self {
        Piece { kind, name: name.to_owned(), texts: Vec::new(), parts: Vec::new(), location: None, place: Vec::new() }
    }

    fn with(mut self, aspect: &'static str, text: impl Into<String>) -> Self {
        self.texts.push((aspect, text.into()));
        self
    }

    fn defined(self, location: Option<Location>) -> Self {
        Piece { location, ..self }
    }

    #[must_use]
    pub fn without_secrets(self, redactor: &Redactor) -> Self {
        let texts = self.texts.into_iter().map(|(aspect, text)| (aspect, redactor.apply(&text))).collect();
        let parts = self.parts.into_iter().map(|part| part.without_secrets(redactor)).collect();
        Piece { texts, parts, ..self }
    }

    fn at(self, place: &[&str]) -> Self {
        Piece { place: PathKey::path(place), ..self }
    }
}
