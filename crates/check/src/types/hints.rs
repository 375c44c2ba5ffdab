//! Hints for errors of the type checker, where lmthing knows more than TypeScript.

use std::ops::Range;

use tsr_ast::SyntaxKind;

use super::declared_names::{exports_of, members_of, modules, prompt_methods};
use super::files::Sources;
use super::program::TypeError;
use super::similar_names::similar_name;
use super::source::Source;
use lmthing_base::diagnostic::closest;
use lmthing_typescript::code::Tree;

/// "Property does not exist", without and with a suggestion.
const NO_PROPERTY: [i32; 2] = [2339, 2551];
/// "Cannot find name", with several kinds of advice.
const NO_NAME: [i32; 13] = [2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868];
/// "Module has no exported member".
const NOT_EXPORTED: [i32; 3] = [2305, 2614, 2724];
/// "Object literal may only specify known properties".
const EXCESS: [i32; 2] = [2353, 2561];
/// "Expected 3-5 arguments, but got 1", and "… at least 3 …".
const WRONG_COUNT: [i32; 2] = [2554, 2555];
/// "… is a type and must be imported using a type-only import".
const TYPE_IMPORT: i32 = 1484;

pub(super) struct Hints<'a> {
    sources: &'a Sources,
}

impl<'a> Hints<'a> {
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self { sources }
    }

    pub(super) fn of(&self, source: &Source, range: &Range<usize>, error: &TypeError) -> Option<String> {
        let hint = of_call(source.edited.original(), range, error).or_else(|| self.of_code(source, range, error))?;
        // The message may contain the suggestion already.
        let is_in_message = error.message.contains("Did you mean") && hint.starts_with("did you mean");
        (!is_in_message).then_some(hint)
    }

    fn of_code(&self, source: &Source, range: &Range<usize>, error: &TypeError) -> Option<String> {
        let quoted = quoted(&error.message);
        let first = quoted.first().copied().unwrap_or_default();
        let of_value = || of_mock_item(&error.message).or_else(|| value_hint(source, range, &error.message));
        match error.code {
            code if WRONG_COUNT.contains(&code) => of_method(source.edited.original().get(range.clone())?),
            code if NO_PROPERTY.contains(&code) => self.of_property(&quoted),
            code if NO_NAME.contains(&code) => of_name(first),
            code if NOT_EXPORTED.contains(&code) => of_export(&quoted),
            code if EXCESS.contains(&code) => of_key(source, range, first)
                .or_else(|| similar_name(first, quoted.get(1).copied().unwrap_or_default()))
                .or_else(of_value),
            _ => of_value(),
        }
    }

    fn of_property(&self, quoted: &[&str]) -> Option<String> {
        let [name, kind, ..] = quoted else { return None };
        if kind.starts_with("Promise<") {
            return Some("did you forget `await`?".to_owned());
        }
        let is_prompt = kind.starts_with("Prompt") || kind.starts_with("StatefulPrompt") || kind.contains("Prompt &");
        if !is_prompt {
            return similar_name(name, kind);
        }
        if let Some(plugin) = self.plugin_with(name) {
            return Some(format!("it is a method of {plugin}, which has to be listed: config.plugins: [{plugin}]"));
        }
        let methods = prompt_methods();
        let close = closest(name, methods.iter().copied()).filter(|method| is_near(name, method));
        let advice = close.map(|method| format!("did you mean '{method}'?"));
        advice.or_else(|| Some("`lmthing docs reference/prompt` lists the methods of a prompt".to_owned()))
    }

    /// The variable whose object has a member of this name, in any of the author's files.
    fn plugin_with(&self, method: &str) -> Option<String> {
        self.sources.all().iter().filter(|source| source.edited.original().contains(method)).find_map(|source| {
            let tree = Tree::parse(source.edited.original(), source.language).ok()?;
            let mut found = None;
            tree.walk(tree.root(), |node, kind| {
                if kind == SyntaxKind::VariableDeclaration
                    && let (Some(name), Some(value)) = (tree.node(node)?.name(), tree.node(node)?.initializer())
                {
                    let mut has_member = false;
                    tree.walk(value, |part, kind| {
                        let is_member = matches!(
                            kind,
                            SyntaxKind::MethodDeclaration
                                | SyntaxKind::PropertyAssignment
                                | SyntaxKind::ShorthandPropertyAssignment
                        );
                        if is_member && let Some(member) = tree.node(part)?.name() {
                            has_member |= tree.text(member).is_ok_and(|text| text == method);
                        }
                        Ok(!is_member)
                    })?;
                    if has_member && tree.kind(name)? == SyntaxKind::Identifier && found.is_none() {
                        found = Some(tree.text(name)?);
                    }
                }
                Ok(true)
            })
            .ok()?;
            found
        })
    }
}

/// Whether less than a third of the letters differ: `defX` is not a typo of `def`, but a method of another plugin.
fn is_near(name: &str, method: &str) -> bool {
    let letters = name.chars().count().min(method.chars().count());
    strsim::damerau_levenshtein(&name.to_lowercase(), &method.to_lowercase()) * 3 < letters
}

fn of_call(text: &str, range: &Range<usize>, error: &TypeError) -> Option<String> {
    let message = error.message.as_str();
    let before = text.get(..range.start).unwrap_or_default();
    let calls = |name: &str| before.trim_end().ends_with(&format!("{name}("));
    if error.code == TYPE_IMPORT {
        return Some(format!("import type {{ {} }} from …", quoted(message).first()?));
    }
    let lists = [("SubTool", "defTool"), ("SubAgent", "defAgent"), ("SubFunction", "defFunction")];
    let lists = lists.into_iter().chain([("SubFunctionAgent", "defFunctionAgent")]);
    for (item, method) in lists {
        if message.contains("is missing the following properties")
            && message.contains(&format!(" type 'readonly {item}[]'"))
        {
            return Some(format!("the function is missing: {method}(name, description, schema, (args) => …)"));
        }
    }
    let is_single_value = EXCESS.contains(&error.code) || message.contains("is missing the following properties");
    if is_single_value
        && message.lines().next().is_some_and(|line| line.contains(" type 'readonly ") && line.contains("[]'"))
    {
        let is_mock = message.contains("MockItem[]") && !calls("createMockModel");
        return Some(format!("{} must be a list: [ … ]", if is_mock { "mock" } else { "this" }));
    }
    let first = message.lines().next().unwrap_or_default();
    let is_data = ["Argument of type '{", "Argument of type '["].iter().any(|start| first.starts_with(start));
    let is_data = is_data || first.split("' is not ").next().is_some_and(|from| from.ends_with("[]"));
    if message.contains(" type 'Reference'.") || is_data && first.contains(" type 'Scalar'.") {
        let call = before.rfind("def").map_or("", |at| &before[at..]);
        return call
            .starts_with("def(")
            .then(|| "def takes texts, numbers and booleans: use defData for data".to_owned());
    }
    if message.contains("ListedModel[]") && message.contains("doStream") {
        return Some("a list is of strings and models of lmthing; a model of your own stands alone".to_owned());
    }
    if message.contains(" type 'PromptModule'") {
        return Some("a function is run with a model: runPrompt(function, { model: '…' })".to_owned());
    }
    None
}

fn quoted(message: &str) -> Vec<&str> {
    message.split('\'').skip(1).step_by(2).collect()
}

fn of_name(name: &str) -> Option<String> {
    if name == "z" {
        return Some("import { z } from 'zod';".to_owned());
    }
    let known = match name {
        "require" => Some("prompt files are modules: write import … from '…'"),
        "module" | "exports" => Some("prompt files are modules: write export …"),
        "__dirname" => Some("use import.meta.dirname"),
        "__filename" => Some("use import.meta.filename"),
        "window" | "document" | "localStorage" => Some("lmthing is no browser, it has Node's globals"),
        "jest" => Some("import { vi } from 'lmthing/test'; vi has what jest has"),
        _ => None,
    };
    if known.is_some() {
        return known.map(str::to_owned);
    }
    if prompt_methods().contains(&name) {
        return Some(format!("take it out of the prompt: export default ({{ {name} }}) => …"));
    }
    let module = modules().find(|module| exports_of(module).contains(&name))?;
    Some(format!("import {{ {name} }} from '{module}';"))
}

/// `Module '"lmthing"' has no exported member 'createMockModel'.`
fn of_export(quoted: &[&str]) -> Option<String> {
    let [module, name, ..] = quoted else { return None };
    let module = module.trim_matches('"');
    if !modules().any(|known| known == module) {
        return None;
    }
    if let Some(other) = modules().find(|other| *other != module && exports_of(other).contains(name)) {
        return Some(format!("it is exported by '{other}': import {{ {name} }} from '{other}';"));
    }
    if prompt_methods().contains(name) {
        return Some(format!("it is a method of the prompt: export default ({{ {name} }}) => …"));
    }
    closest(name, exports_of(module)).map(|close| format!("did you mean '{close}'?"))
}

/// A method of the prompt that is called with too many or too few arguments.
fn of_method(called: &str) -> Option<String> {
    prompt_methods().contains(&called).then(|| format!("`lmthing docs {called}` shows how it is called"))
}

fn of_mock_item(message: &str) -> Option<String> {
    let forms = "{ type: 'text', text: '…' }, { type: 'tool-call', toolName: '…', args: {} } or { type: 'finish' }";
    message.contains(" type 'MockItem'").then(|| format!("a mock item is {forms}: lmthing docs mock-models"))
}

fn of_key(source: &Source, range: &Range<usize>, key: &str) -> Option<String> {
    if source.value_at(range.start) != Some("config") {
        return None;
    }
    let path = path_of(source, range)?;
    let (config, options) = (members_of("Config"), [members_of("CallSettings"), members_of("PromptSettings")].concat());
    match path.len() {
        1 if options.contains(&key) => Some(format!("it belongs into options: options: {{ {key}: … }}")),
        1 => closest(key, config).map(|close| format!("did you mean '{close}'?")),
        2 if path[0] == "options" && config.contains(&key) => Some(format!("it belongs beside options: config.{key}")),
        2 if path[0] == "options" => closest(key, options).map(|close| format!("did you mean '{close}'?")),
        2 if path[0] == "sandbox" => {
            closest(key, members_of("SandboxConfig")).map(|close| format!("did you mean '{close}'?"))
        }
        2 if path[0] == "limits" => {
            let known = members_of("Limits");
            let close = closest(key, known.iter().copied()).map(|close| format!("did you mean '{close}'?"));
            close.or_else(|| Some(format!("known are {}", known.join(", "))))
        }
        _ => None,
    }
}

/// The path of the setting that a value belongs to, if the message does not contain it.
fn value_hint(source: &Source, range: &Range<usize>, message: &str) -> Option<String> {
    let export = source.value_at(range.start)?;
    let path = path_of(source, range)?;
    let name = path.last().filter(|name| !message.contains(&format!("'{name}'")))?;
    let step = |name: &String| if name.starts_with('[') { name.clone() } else { format!(".{name}") };
    Some(match name.as_str() {
        "plugins" => "config.plugins is a list of plugins: plugins: […]".to_owned(),
        _ => format!("this is {export}{}", path.iter().map(step).collect::<String>()),
    })
}

/// The names of the properties around a position in an exported value, outermost first; `[2]` for an item of a list.
fn path_of(source: &Source, range: &Range<usize>) -> Option<Vec<String>> {
    let (_, value) = source.values.iter().find(|(_, value)| value.contains(&range.start))?;
    let tree = Tree::parse(source.edited.original(), source.language).ok()?;
    let mut path = Vec::new();
    tree.walk(tree.root(), |node, kind| {
        let place = tree.start(node)?..tree.end(node)?;
        if !place.contains(&range.start) {
            return Ok(false);
        }
        let is_property = matches!(
            kind,
            SyntaxKind::PropertyAssignment | SyntaxKind::ShorthandPropertyAssignment | SyntaxKind::MethodDeclaration
        );
        if is_property
            && value.contains(&place.start)
            && let Some(name) = tree.node(node)?.name()
        {
            path.push(tree.text(name)?);
        }
        if kind == SyntaxKind::ArrayLiteralExpression && value.contains(&place.start) {
            for (index, item) in tree.children(node)?.into_iter().enumerate() {
                if (tree.start(item)?..tree.end(item)?).contains(&range.start) {
                    path.push(format!("[{index}]"));
                }
            }
        }
        Ok(true)
    })
    .ok()?;
    Some(path)
}
