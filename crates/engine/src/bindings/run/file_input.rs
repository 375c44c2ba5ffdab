//! The exports `input` and `description`, and reading the input from the command line (docs/reference/input.md).

use rquickjs::{Constructor, Ctx, Error, Function, Object, Result, Value};
use serde_json::{Map, Value as Json};

use crate::bindings::values::{blob::new_file, from_json, kind_of, plain_error, property, schema::Schema};
use lmthing_base::{
    diagnostic::Diagnostic,
    input::{
        CommandLine, Declaration, InputFile, InputProblem, ParsedInput, Revival, RevivedType, check_arguments,
        has_help_option, help, read as read_words, revivals, usage,
    },
};
use lmthing_node::{KeepAlive, ScriptError};

pub(crate) enum FileInput<'js> {
    /// The file declares no input; its arguments are in `process.argv`.
    Nothing,
    /// The second argument of the prompt function, and its JSON before schema transforms.
    Value(Value<'js>, Map<String, Json>),
    Help(String),
    Wrong(Box<Diagnostic>),
    /// Valid except for the missing properties named here.
    Missing(Box<Diagnostic>, Vec<String>),
}

pub(crate) async fn file_input<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
    line: &CommandLine,
) -> Result<FileInput<'js>> {
    let description = description(ctx, namespace, name)?;
    let declared = match &line.taken {
        Some(taken) => schema(ctx, namespace, name)?.map(|schema| DeclaredInput {
            schema,
            shape: taken.shape.clone(),
            declaration: taken.declaration.clone(),
        }),
        None => declared_input(ctx, namespace, name)?,
    };
    let Some(DeclaredInput { schema, shape, mut declaration }) = declared else {
        return Ok(without_input(description, name, line));
    };
    declaration.describe(description);
    let wrong = |problem: InputProblem| {
        let names = problem.only_missing().to_vec();
        let diagnostic = Box::new(match line.is_call {
            true => problem.into(),
            false => problem.diagnostic(&usage(Some(&declaration), &line.command)),
        });
        if names.is_empty() { FileInput::Wrong(diagnostic) } else { FileInput::Missing(diagnostic, names) }
    };
    let mut filled = match read_request(ctx, &declaration, line).await? {
        Err(problem) => return Ok(wrong(problem)),
        Ok(ParsedInput::Help) => return Ok(FileInput::Help(help(&declaration, true, line))),
        Ok(ParsedInput::Input(filled)) => filled,
    };
    // Other schemas apply their defaults themselves.
    if matches!(schema, Schema::Json(_)) {
        declaration.add_defaults(&mut filled.input);
    }
    // Moved out and back instead of copied: the input may be very large.
    let mut input = Json::Object(std::mem::take(&mut filled.input));
    let value = revive(ctx, &shape, &mut input)?;
    filled.input = input.as_object_mut().map(std::mem::take).unwrap_or_default();
    Ok(match schema.check(ctx, value).await? {
        Ok(value) => FileInput::Value(value, filled.input),
        Err(problems) => wrong(InputProblem::from_schema(&declaration, &filled, &problems, line.is_call)),
    })
}

/// Reads the command line on another thread, as reading a file or a pipe may block.
async fn read_request(
    ctx: &Ctx<'_>,
    declaration: &Declaration,
    line: &CommandLine,
) -> Result<std::result::Result<ParsedInput, InputProblem>> {
    if line.sources.is_at_hand() {
        return Ok(read_words(declaration, line));
    }
    let (declaration, line) = (declaration.clone(), line.clone());
    // Slow input is not a stuck script.
    let _alive = KeepAlive::new(ctx)?;
    let read = tokio::task::spawn_blocking(move || read_words(&declaration, &line));
    read.await.map_err(|error| plain_error(ctx, format!("the input cannot be read: {error}")))
}

/// The arguments of a file without a schema: `--help` prints the help, and options of the command are refused.
fn without_input<'js>(description: Option<String>, name: &str, line: &CommandLine) -> FileInput<'js> {
    if has_help_option(&line.words) {
        return FileInput::Help(help_without_input(description, line));
    }
    let usage = usage(None, &line.command);
    if line.whole.is_some() {
        let diagnostic = Diagnostic::new(format!("--input: {name} takes no input\n\n{usage}"));
        let hint = "export const input = z.object({ city: z.string() });";
        return FileInput::Wrong(Box::new(diagnostic.with_hint(hint)));
    }
    match check_arguments(line) {
        Ok(()) => FileInput::Nothing,
        Err(problem) => FileInput::Wrong(Box::new(problem.diagnostic(&usage))),
    }
}

/// The help of a file that declares no input.
pub fn help_without_input(description: Option<String>, line: &CommandLine) -> String {
    let mut declaration = Declaration::default();
    declaration.describe(description);
    help(&declaration, false, line)
}

pub(crate) struct DeclaredInput<'js> {
    pub(super) schema: Schema<'js>,
    /// Its JSON Schema, with the keyword `tsType` at dates, big integers and files.
    pub(super) shape: Json,
    pub(super) declaration: Declaration,
}

impl DeclaredInput<'_> {
    pub(crate) fn into_shape(self) -> Json {
        self.shape
    }
}

/// Reads the export `input`. Throws if it is not the schema of an object.
pub(crate) fn declared_input<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
) -> Result<Option<DeclaredInput<'js>>> {
    let Some(schema) = schema(ctx, namespace, name)? else { return Ok(None) };
    let shape = schema.to_cli_schema(ctx)?;
    let declaration = Declaration::new(Some(&shape), None)
        .map_err(|other| wrong_input(ctx, name, &format!("a schema whose type is {}", other.kind)))?;
    Ok(Some(DeclaredInput { schema, shape, declaration }))
}

pub(crate) fn description(ctx: &Ctx<'_>, namespace: &Object<'_>, name: &str) -> Result<Option<String>> {
    let Some(value) = export(namespace, "description")? else { return Ok(None) };
    match value.as_string() {
        Some(text) => text.to_string().map(Some),
        None => {
            let message = format!("the export description of {name} must be a string, got {}", kind_of(&value));
            Err(ScriptError::error(message).hint("export const description = 'One sentence.';").throw(ctx))
        }
    }
}

fn schema<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Option<Schema<'js>>> {
    let Some(value) = export(namespace, "input")? else { return Ok(None) };
    Schema::from_value(ctx, &value, &format!("the export input of {name}")).map(Some)
}

fn wrong_input(ctx: &Ctx<'_>, name: &str, got: &str) -> Error {
    let message = format!("the export input of {name} must be a schema of an object, got {got}");
    ScriptError::error(message).hint("export const input = z.object({ city: z.string() });").throw(ctx)
}

fn export<'js>(namespace: &Object<'js>, name: &str) -> Result<Option<Value<'js>>> {
    if namespace.contains_key(name)? { property(namespace, name) } else { Ok(None) }
}

/// The input with its dates, big integers and files.
pub(super) fn revive<'js>(ctx: &Ctx<'js>, shape: &Json, input: &mut Json) -> Result<Value<'js>> {
    let (files, others): (Vec<_>, Vec<_>) =
        revivals(shape, input).into_iter().partition(|revival| revival.becomes == RevivedType::File);
    // Taken out in the meantime, as their contents may be very large.
    let mut taken = Vec::new();
    for Revival { path, .. } in files {
        let Some(part) = part_mut(input, &path) else { continue };
        // What is no file is reported by the schema.
        if let Some(file) = InputFile::read(part) {
            taken.push((path, new_file(ctx, &file)?, part.take()));
        }
    }
    let whole = from_json(ctx, input)?;
    for (path, file, written) in taken {
        if let Some(part) = part_mut(input, &path) {
            *part = written;
        }
        replace(&whole, &path, |_| Ok(file))?;
    }
    for Revival { path, becomes } in others {
        replace(&whole, &path, |value| match becomes {
            RevivedType::Date => ctx.globals().get::<_, Constructor>("Date")?.construct((value,)),
            _ => Ok(big_integer(ctx, value.clone()).unwrap_or(value)),
        })?;
    }
    Ok(whole)
}

fn part_mut<'a>(value: &'a mut Json, path: &[String]) -> Option<&'a mut Json> {
    path.iter().try_fold(value, |value, key| match value {
        Json::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        other => other.get_mut(key),
    })
}

fn replace<'js>(
    whole: &Value<'js>,
    path: &[String],
    change: impl FnOnce(Value<'js>) -> Result<Value<'js>>,
) -> Result<()> {
    let Some((name, outer)) = path.split_last() else { return Ok(()) };
    let step = |value: Value<'js>, name: &String| value.get::<Object>()?.get(name);
    let outer: Object = outer.iter().try_fold(whole.clone(), step)?.get()?;
    outer.set(name, change(outer.get(name)?)?)
}

fn big_integer<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Option<Value<'js>> {
    let convert: Function = ctx.globals().get("BigInt").ok()?;
    convert.call((value,)).ok().or_else(|| {
        // An invalid number is reported by the schema.
        ctx.catch();
        None
    })
}
