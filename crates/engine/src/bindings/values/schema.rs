//! Schemas in prompt files: zod 4, Standard Schema, or plain JSON Schema (docs/reference/schemas.md).

mod element;
mod issues;

use std::{cell::OnceCell, rc::Rc};

use rquickjs::{Ctx, Function, JsLifetime, Object, Result, Value, class::Trace, function::This};
use thiserror::Error;

use self::issues::problems;
use super::{
    from_json, kind_of, property, settle, to_json, type_error,
    zod_files::{has_file, is_file},
    zod_functions::{is_same_zod, zod_converter},
    zod_parts::{has_file_part, has_too_many_parts},
};
use lmthing_base::schema::{InvalidSchema, ValidationProblem, Validator, describe_problems};

const JSON_SCHEMA_KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$schema",
    "enum",
    "const",
    "items",
    "not",
    "$defs",
    "additionalProperties",
    "patternProperties",
    "required",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Input,
    /// After defaults and transforms.
    Output,
}

#[derive(Clone, Trace, JsLifetime)]
pub enum Schema<'js> {
    Zod(Object<'js>),
    Standard(Object<'js>),
    Json(Object<'js>),
    Plain(#[qjs(skip_trace)] Rc<PlainSchema>),
}

/// A value does not match a schema.
#[derive(Debug, Error)]
#[error("{}", describe_problems(.0))]
pub struct InvalidValue(Vec<ValidationProblem>);

/// From an MCP server.
pub struct PlainSchema {
    schema: serde_json::Value,
    /// Created on first use: most tools of a server are never called.
    validator: OnceCell<std::result::Result<Validator, InvalidSchema>>,
}

impl PlainSchema {
    pub fn new(schema: serde_json::Value) -> Rc<Self> {
        Rc::new(PlainSchema { schema, validator: OnceCell::new() })
    }
}

impl<'js> Schema<'js> {
    /// `place` is the prefix of error messages, such as `defTool('add'): inputSchema`.
    pub fn from_value(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Self> {
        let wanted = "must be a zod schema or a JSON Schema object";
        // A promise has no own properties and would pass for `{}`, which accepts anything.
        let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_promise()) else {
            return Err(type_error(ctx, format!("{place} {wanted}, got {}", kind_of(value))));
        };
        // zod also implements Standard Schema, but only zod's own conversion gives its JSON Schema.
        if object.contains_key("_zod")? {
            return Ok(Schema::Zod(object.clone()));
        }
        if object.contains_key("~standard")? {
            return Schema::from_standard(ctx, object, place);
        }
        // After Standard Schema: some libraries have schemas that are functions with `~standard`.
        if value.is_function() {
            return Err(type_error(ctx, format!("{place} {wanted}, got a function (call it to get the schema?)")));
        }
        if object.is_empty() || has_any(object, JSON_SCHEMA_KEYWORDS)? {
            return Ok(Schema::Json(object.clone()));
        }
        let holds_zod = object
            .own_props::<String, Value>(rquickjs::object::Filter::new().string().enum_only())
            .filter_map(std::result::Result::ok)
            .any(|(_, field)| field.as_object().is_some_and(|field| field.contains_key("_zod").unwrap_or(false)));
        let hint = if holds_zod { "; its fields are zod schemas: wrap it in z.object({…})" } else { "" };
        Err(type_error(ctx, format!("{place} {wanted}, got an object that is neither{hint}")))
    }

    fn from_standard(ctx: &Ctx<'js>, object: &Object<'js>, place: &str) -> Result<Self> {
        let standard: Object = object.get("~standard")?;
        let vendor: Option<String> = standard.get("vendor")?;
        // Late versions of zod 3 have `~standard` but no `_zod`, so there is no JSON Schema for the model.
        if vendor.as_deref() == Some("zod") {
            let hint = "is a zod 3 schema; lmthing needs zod 4: import { z } from 'zod' gives the built-in one";
            return Err(type_error(ctx, format!("{place} {hint}")));
        }
        Ok(Schema::Standard(object.clone()))
    }

    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Schema::Plain(one), Schema::Plain(other)) => Rc::ptr_eq(one, other),
            _ => self.object().is_some() && self.object() == other.object(),
        }
    }

    /// `before` if both certainly validate and convert alike, as schemas do that a prompt function makes at every run.
    pub fn or_same(self, ctx: &Ctx<'js>, before: &Self) -> Self {
        match (&self, before) {
            (Schema::Zod(now), Schema::Zod(before)) if now != before && is_same_zod(ctx, before, now) => {
                Schema::Zod(before.clone())
            }
            _ => self,
        }
    }

    /// Whether both certainly convert to the same JSON Schema: zod schemas are immutable, plain objects are not.
    pub fn converts_as(&self, other: &Self) -> bool {
        matches!(self, Schema::Zod(_) | Schema::Plain(_)) && self.is_same(other)
    }

    /// Whether it is a plain `z.object`, without a wrapper that may change the input.
    pub fn is_zod_object(&self) -> bool {
        let kind = |object: &Object<'js>| -> Result<String> {
            object.get::<_, Object>("_zod")?.get::<_, Object>("def")?.get("type")
        };
        matches!(self, Schema::Zod(object) if kind(object).is_ok_and(|kind| kind == "object"))
    }

    fn object(&self) -> Option<&Object<'js>> {
        match self {
            Schema::Zod(object) | Schema::Standard(object) | Schema::Json(object) => Some(object),
            Schema::Plain(_) => None,
        }
    }

    /// Validates a value. `Ok(Ok(value))` has defaults and transforms applied.
    pub async fn validate(
        &self,
        ctx: &Ctx<'js>,
        value: Value<'js>,
    ) -> Result<std::result::Result<Value<'js>, InvalidValue>> {
        Ok(self.check(ctx, value).await?.map_err(InvalidValue))
    }

    pub async fn check(
        &self,
        ctx: &Ctx<'js>,
        value: Value<'js>,
    ) -> Result<std::result::Result<Value<'js>, Vec<ValidationProblem>>> {
        let object = match self {
            Schema::Json(object) => {
                let schema = to_json(ctx, object.as_value())?;
                let validator = Validator::compiled(&schema).map_err(|error| type_error(ctx, error.to_string()))?;
                let checked = validator.validate(&to_json(ctx, &value)?);
                return Ok(checked.map(|()| value));
            }
            Schema::Plain(plain) => {
                let validator = plain.validator.get_or_init(|| Validator::new(&plain.schema));
                let validator = validator.as_ref().map_err(|error| type_error(ctx, error.to_string()))?;
                let checked = validator.validate(&to_json(ctx, &value)?);
                return Ok(checked.map(|()| value));
            }
            Schema::Zod(object) | Schema::Standard(object) => object,
        };
        let parse = match self {
            // Schemas of zod's core have no methods.
            Schema::Zod(object) => property(object, "safeParseAsync")?.and_then(Value::into_function),
            _ => None,
        };
        if let Some(parse) = parse {
            return parsed(ctx, parse.call((This(object.clone()), value))?).await;
        }
        let standard: Object = object.get("~standard")?;
        let validate: Function = standard.get("validate")?;
        let answer: Value = validate.call((This(standard), value))?;
        let answer = settle(answer).await?;
        let answer = answer.as_object().ok_or_else(|| type_error(ctx, "the schema's validate gave no result"))?;
        match property(answer, "issues")? {
            Some(issues) => Ok(Err(problems(ctx, &issues)?)),
            None => Ok(Ok(answer.get("value")?)),
        }
    }

    /// The JSON Schema of a tool's arguments for providers: draft 7, which all of them accept, with closed objects.
    /// `place` is the prefix of error messages.
    /// Plain JSON Schema is sent as written.
    pub fn to_tool_schema(&self, ctx: &Ctx<'js>, place: &str) -> Result<serde_json::Value> {
        let Schema::Zod(object) = self else { return self.to_json_schema(ctx, Side::Input) };
        let mut schema = convert_zod(ctx, object, "input", Some("draft-7"), None)?;
        if has_file(&schema) {
            return Err(no_file(ctx, place));
        }
        close_objects(&mut schema);
        Ok(schema)
    }

    /// Fails if a part takes a file.
    pub fn refuse_files(&self, ctx: &Ctx<'js>, place: &str) -> Result<()> {
        match self {
            Schema::Zod(object) if has_file_part(object) => Err(no_file(ctx, place)),
            _ => Ok(()),
        }
    }

    /// As [`Self::to_json_schema`], with the keyword `tsType` for TypeScript types that JSON Schema lacks (`unknown`).
    pub fn to_type_schema(&self, ctx: &Ctx<'js>, side: Side) -> Result<serde_json::Value> {
        match self {
            Schema::Zod(object) => {
                let io = if side == Side::Input { "input" } else { "output" };
                convert_zod(ctx, object, io, None, Some(Function::new(ctx.clone(), mark_types)?))
            }
            _ => self.to_json_schema(ctx, side),
        }
    }

    /// The JSON Schema of the input, with the keyword `tsType` at dates, big integers and files, for command-line
    /// arguments.
    pub fn to_cli_schema(&self, ctx: &Ctx<'js>) -> Result<serde_json::Value> {
        match self {
            Schema::Zod(object) => {
                convert_zod(ctx, object, "input", None, Some(Function::new(ctx.clone(), mark_values)?))
            }
            _ => self.to_json_schema(ctx, Side::Input),
        }
    }

    /// The JSON Schema of one side. Parts that JSON Schema cannot express become `{}`.
    pub fn to_json_schema(&self, ctx: &Ctx<'js>, side: Side) -> Result<serde_json::Value> {
        let io = if side == Side::Input { "input" } else { "output" };
        match self {
            Schema::Json(object) => to_json(ctx, object.as_value()),
            Schema::Plain(plain) => Ok(plain.schema.clone()),
            Schema::Zod(object) => convert_zod(ctx, object, io, None, None),
            Schema::Standard(object) => {
                let standard: Object = object.get("~standard")?;
                // An extension of Standard Schema that few libraries implement.
                let Some(converters) = property(&standard, "jsonSchema")?.and_then(Value::into_object) else {
                    return Ok(serde_json::json!({}));
                };
                let convert: Function = converters.get(io)?;
                let options = from_json(ctx, &serde_json::json!({ "target": "draft-2020-12" }))?;
                let schema: Value = convert.call((This(converters), options))?;
                to_json(ctx, &schema)
            }
        }
    }
}

/// The result of zod's `safeParseAsync`. `~standard` would try without async first: async transforms would run twice, and
/// their failures would be those of a promise that nothing awaits.
async fn parsed<'js>(
    ctx: &Ctx<'js>,
    answer: Value<'js>,
) -> Result<std::result::Result<Value<'js>, Vec<ValidationProblem>>> {
    let parsed: Object = settle(answer).await?.get()?;
    match property(&parsed, "error")?.and_then(Value::into_object) {
        Some(error) => Ok(Err(problems(ctx, &error.get("issues")?)?)),
        None => Ok(Ok(parsed.get("data")?)),
    }
}

fn no_file(ctx: &Ctx<'_>, place: &str) -> rquickjs::Error {
    let hint = "take its name, and find the file in the function";
    type_error(ctx, format!("{place}: a model cannot give a file, as z.file() needs; {hint}"))
}

/// Calls zod's `toJSONSchema`. `target` is the JSON Schema version; `mark` is called for every part and may change its
/// result.
fn convert_zod<'js>(
    ctx: &Ctx<'js>,
    schema: &Object<'js>,
    io: &str,
    target: Option<&str>,
    mark: Option<Function<'js>>,
) -> Result<serde_json::Value> {
    let options = Object::new(ctx.clone())?;
    options.set("io", io)?;
    // The default throws at a date or a bigint.
    options.set("unrepresentable", "any")?;
    if let Some(target) = target {
        options.set("target", target)?;
    }
    if has_too_many_parts(schema) {
        options.set("reused", "ref")?;
    }
    if let Some(mark) = mark {
        options.set("override", mark)?;
    }
    let converted: Value = zod_converter(ctx)?.call((schema.clone(), options))?;
    to_json(ctx, &converted)
}

/// Sets `additionalProperties: false` on objects with named properties. zod drops other properties anyway, and the
/// model then does not invent them.
fn close_objects(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Array(schemas) => schemas.iter_mut().for_each(close_objects),
        serde_json::Value::Object(keywords) => {
            if keywords.get("type").is_some_and(|kind| kind == "object") && keywords.contains_key("properties") {
                // `z.looseObject` and `catchall` set their own value.
                keywords.entry("additionalProperties").or_insert(false.into());
            }
            // Not within `not`: closing that schema would make it reject less.
            for keyword in ["properties", "definitions", "$defs"] {
                if let Some(named) = keywords.get_mut(keyword).and_then(serde_json::Value::as_object_mut) {
                    named.values_mut().for_each(close_objects);
                }
            }
            for keyword in
                ["items", "additionalItems", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf"]
            {
                keywords.get_mut(keyword).map(close_objects);
            }
        }
        _ => {}
    }
}

fn mark_types<'js>(part: Object<'js>) -> Result<()> {
    let definition: Object = part.get::<_, Object>("zodSchema")?.get::<_, Object>("_zod")?.get("def")?;
    let kind: String = definition.get("type")?;
    // zod writes `{}` for these as for `any`, which would disable type checks.
    if matches!(kind.as_str(), "unknown" | "undefined" | "void") {
        part.get::<_, Object>("jsonSchema")?.set("tsType", kind)?;
    }
    Ok(())
}

fn mark_values<'js>(part: Object<'js>) -> Result<()> {
    let definition: Object = part.get::<_, Object>("zodSchema")?.get::<_, Object>("_zod")?.get("def")?;
    let name = match definition.get::<_, String>("type")?.as_str() {
        "date" => "Date",
        "bigint" => "bigint",
        _ if is_file(&definition)? => "File",
        _ => return Ok(()),
    };
    part.get::<_, Object>("jsonSchema")?.set("tsType", name)
}

fn has_any(object: &Object<'_>, keys: &[&str]) -> Result<bool> {
    for key in keys {
        if object.contains_key(*key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
