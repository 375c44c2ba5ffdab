//! The exports `input` and `description` of a prompt file, and what they make of the words behind it (docs/reference.md,
//! "Input"). What words mean is told by `crate::input`; here they meet the schema. Must not know where words come from.

use rquickjs::{Constructor, Ctx, Error, Function, Object, Result, Value};
use serde_json::{Map, Value as Json};

use crate::{
    diagnostic::Diagnostic,
    input::{
        CommandLine, Declaration, InputProblem, ParsedInput, Revival, RevivedType, has_help_option, help,
        read as read_words, revivals, usage,
    },
    script::{
        KeepAlive, ScriptError,
        bindings::values::{from_json, kind_of, plain_error, property, schema::Schema},
    },
};

/// What a file and its command line make together.
pub(crate) enum FileInput<'js> {
    /// The file takes no input; its arguments are in `process.argv`.
    Nothing,
    /// The second argument of its function, and the same before the schema has changed it.
    Value(Value<'js>, Map<String, Json>),
    /// What is to be shown in place of a run.
    Help(String),
    /// What was typed does not fit.
    Wrong(Box<Diagnostic>),
    /// What was typed fits, but these required properties are missing.
    Missing(Box<Diagnostic>, Vec<String>),
}

/// Reads the input of the file called `name`. Throws when an export is wrong.
pub(crate) async fn file_input<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
    line: &CommandLine,
) -> Result<FileInput<'js>> {
    let description = description(ctx, namespace, name)?;
    let declared = match &line.taken {
        Some(taken) => schema(ctx, namespace, name)?.map(|schema| Declared {
            schema,
            shape: taken.shape.clone(),
            declaration: taken.declaration.clone(),
        }),
        None => declared(ctx, namespace, name)?,
    };
    let Some(Declared { schema, shape, mut declaration }) = declared else {
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
    let mut filled = match words(ctx, &declaration, line).await? {
        Err(problem) => return Ok(wrong(problem)),
        Ok(ParsedInput::Help) => return Ok(FileInput::Help(help(&declaration, true, &line.command))),
        Ok(ParsedInput::Input(filled)) => filled,
    };
    // A schema of zod or another library puts them in by itself.
    if matches!(schema, Schema::Json(_)) {
        declaration.add_defaults(&mut filled.input);
    }
    // The input may be most of what memory there is: it is moved out and back instead of copied.
    let mut input = Json::Object(std::mem::take(&mut filled.input));
    let value = revived(ctx, &shape, &input)?;
    filled.input = input.as_object_mut().map(std::mem::take).unwrap_or_default();
    Ok(match schema.check(ctx, value).await? {
        Ok(value) => FileInput::Value(value, filled.input),
        Err(problems) => wrong(InputProblem::from_schema(&declaration, &filled, &problems, line.is_call)),
    })
}

/// Reads the words on a thread of its own: a file or a pipe may keep it waiting.
async fn words(
    ctx: &Ctx<'_>,
    declaration: &Declaration,
    line: &CommandLine,
) -> Result<std::result::Result<ParsedInput, InputProblem>> {
    if line.sources.is_at_hand() {
        return Ok(read_words(declaration, line));
    }
    let (declaration, line) = (declaration.clone(), line.clone());
    // Whoever types or sends the text is slow, not stuck.
    let _alive = KeepAlive::new(ctx)?;
    let read = tokio::task::spawn_blocking(move || read_words(&declaration, &line));
    read.await.map_err(|error| plain_error(ctx, format!("the input cannot be read: {error}")))
}

/// A file without a schema: its words are its own, but for help when it has a description.
fn without_input<'js>(description: Option<String>, name: &str, line: &CommandLine) -> FileInput<'js> {
    if description.is_some()
        && has_help_option(&line.words)
        && let Ok(declaration) = Declaration::new(None, description)
    {
        return FileInput::Help(help(&declaration, false, &line.command));
    }
    if line.whole.is_none() {
        return FileInput::Nothing;
    }
    let diagnostic = Diagnostic::new(format!("--input: {name} takes no input\n\n{}", usage(None, &line.command)));
    let hint = "export const input = z.object({ city: z.string() });";
    FileInput::Wrong(Box::new(diagnostic.with_hint(hint)))
}

/// The export `input`.
pub(crate) struct Declared<'js> {
    pub(super) schema: Schema<'js>,
    /// Its JSON Schema.
    pub(super) shape: Json,
    pub(super) declaration: Declaration,
}

impl Declared<'_> {
    /// Its JSON Schema, with the keyword `tsType` at dates and big integers.
    pub(crate) fn into_shape(self) -> Json {
        self.shape
    }
}

/// Reads the export `input`. Throws when it is not the schema of an object.
pub(crate) fn declared<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Option<Declared<'js>>> {
    let Some(schema) = schema(ctx, namespace, name)? else { return Ok(None) };
    let shape = schema.to_word_schema(ctx)?;
    let declaration = Declaration::new(Some(&shape), None)
        .map_err(|got| wrong_input(ctx, name, &format!("a schema whose type is {got}")))?;
    Ok(Some(Declared { schema, shape, declaration }))
}

/// The export `description`. Throws when it is no text.
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

/// The input as JavaScript has it, with the dates and big integers that `shape` asks for.
pub(super) fn revived<'js>(ctx: &Ctx<'js>, shape: &Json, input: &Json) -> Result<Value<'js>> {
    let whole = from_json(ctx, input)?;
    for Revival { path, becomes } in revivals(shape, input) {
        let Some((name, outer)) = path.split_last() else { continue };
        let step = |value: Value<'js>, name: &String| value.get::<Object>()?.get(name);
        let outer: Object = outer.iter().try_fold(whole.clone(), step)?.get()?;
        let value: Value = outer.get(name)?;
        let value = match becomes {
            RevivedType::Date => ctx.globals().get::<_, Constructor>("Date")?.construct((value,))?,
            RevivedType::BigInteger => big_integer(ctx, value.clone()).unwrap_or(value),
        };
        outer.set(name, value)?;
    }
    Ok(whole)
}

fn big_integer<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Option<Value<'js>> {
    let convert: Function = ctx.globals().get("BigInt").ok()?;
    convert.call((value,)).ok().or_else(|| {
        // What is none is left for the schema to refuse.
        ctx.catch();
        None
    })
}
