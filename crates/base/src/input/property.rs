//! The properties of an input and their options.

use serde_json::{Map, Value};

use super::kind::{SchemaContext, ValueKind, plain_value};

/// The bound that zod adds to every integer; it is left out of the help.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The export `description`, or the schema's own.
    pub(super) description: Option<String>,
    pub(super) fields: ObjectFields,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ObjectFields {
    pub(super) properties: Vec<Property>,
    /// The kind of further properties, if the schema allows some.
    pub(super) others: Option<Box<ValueKind>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: ValueKind,
    pub(super) is_required: bool,
    pub(super) description: Option<String>,
    pub(super) default: Option<Value>,
    pub(super) limits: Vec<String>,
}

/// The property that an option refers to, possibly within another.
pub(super) struct Target<'a> {
    /// Names from the outermost object inwards.
    pub(super) path: Vec<String>,
    pub(super) kind: &'a ValueKind,
}

/// The schema of an input has another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnObject {
    /// The type, such as `string`.
    pub kind: String,
}

impl Declaration {
    /// Reads the JSON Schema of an input; without one, the file only has a description.
    ///
    /// # Errors
    /// The schema is not one of an object.
    pub fn new(schema: Option<&Value>, description: Option<String>) -> Result<Self, NotAnObject> {
        let Some(schema) = schema else { return Ok(Declaration { description, fields: ObjectFields::default() }) };
        let place = SchemaContext::of_root(schema);
        let own = || Some(place.resolve(schema).get("description")?.as_str()?.to_owned());
        match ValueKind::read(schema, place) {
            ValueKind::Object(fields) => Ok(Declaration { description: description.or_else(own), fields }),
            other => Err(NotAnObject { kind: other.name() }),
        }
    }

    /// Sets the description, unless it is `None`.
    pub fn describe(&mut self, description: Option<String>) {
        self.description = description.or_else(|| self.description.take());
    }

    /// Adds missing defaults, for a schema that only declares them.
    pub fn add_defaults(&self, input: &mut Map<String, Value>) {
        self.fields.add_defaults(input);
    }
}

impl ObjectFields {
    pub(super) fn read(keywords: &Map<String, Value>, place: SchemaContext<'_>) -> ObjectFields {
        let parts = keywords.get("allOf").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let own = keywords.get("properties").and_then(Value::as_object);
        let further = keywords.get("additionalProperties").filter(|schema| **schema != Value::Bool(false));
        let place = place.inner(parts.len() + own.map_or(0, Map::len) + usize::from(further.is_some()));
        let mut fields = ObjectFields::default();
        // `z.intersection` lists its parts.
        for part in parts {
            if let ValueKind::Object(part) = ValueKind::read(part, place) {
                part.properties.into_iter().for_each(|property| fields.add(property));
            }
        }
        for (name, schema) in own.into_iter().flatten() {
            fields.add(Property::read(name, schema, place));
        }
        // `required` may name properties of the parts as well.
        let required = keywords.get("required").and_then(Value::as_array);
        for property in &mut fields.properties {
            let is_listed = required.is_some_and(|names| names.iter().any(|name| *name == property.name));
            property.is_required |= is_listed && property.default.is_none();
        }
        fields.others = further.map(|schema| Box::new(ValueKind::read(schema, place)));
        fields
    }

    fn add(&mut self, property: Property) {
        match self.properties.iter_mut().find(|known| known.name == property.name) {
            Some(known) => known.is_required |= property.is_required,
            None => self.properties.push(property),
        }
    }

    fn add_defaults(&self, input: &mut Map<String, Value>) {
        for property in &self.properties {
            match (input.get_mut(&property.name), &property.default, property.kind.inner()) {
                (None, Some(default), _) => {
                    input.insert(property.name.clone(), default.clone());
                }
                (Some(Value::Object(inner)), _, ValueKind::Object(fields)) => fields.add_defaults(inner),
                _ => {}
            }
        }
    }

    /// The kind of a property, declared or not.
    pub(super) fn kind_of(&self, name: &str) -> &ValueKind {
        let declared = self.named(name).map(|property| &property.kind);
        declared.or(self.others.as_deref()).unwrap_or(&ValueKind::Anything)
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = &ValueKind> {
        self.properties.iter().map(|property| &property.kind).chain(self.others.as_deref())
    }

    pub(super) fn named(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    pub(super) fn option(&self, property: &Property) -> String {
        let kebab = kebab(&property.name);
        let is_alone = self.properties.iter().filter(|other| self::kebab(&other.name) == kebab).count() == 1;
        if is_alone { kebab } else { property.name.clone() }
    }

    /// The property of `option`, also one that is only allowed by `additionalProperties`.
    pub(super) fn find(&self, option: &str) -> Option<Target<'_>> {
        let other = || self.others.as_deref().map(|kind| Target { path: vec![option.to_owned()], kind });
        self.known(option).or_else(other)
    }

    /// The declared property of `option`: `maxWords`, `max-words`, or `address.city` within another object.
    pub(super) fn known(&self, option: &str) -> Option<Target<'_>> {
        if let Some(property) = self.property(option) {
            return Some(Target { path: vec![property.name.clone()], kind: &property.kind });
        }
        if let Some((outer, rest)) = option.split_once('.')
            && let Some(property) = self.property(outer)
            && let ValueKind::Object(fields) = property.kind.inner()
        {
            let mut target = fields.find(rest)?;
            target.path.insert(0, property.name.clone());
            return Some(target);
        }
        None
    }

    fn property(&self, option: &str) -> Option<&Property> {
        let kebab = kebab(option);
        self.named(option).or_else(|| self.properties.iter().find(|property| self::kebab(&property.name) == kebab))
    }
}

impl Property {
    fn read(name: &str, schema: &Value, place: SchemaContext<'_>) -> Property {
        let resolved = place.resolve(schema);
        let keyword = |key: &str| schema.get(key).or_else(|| resolved.get(key));
        Property {
            name: name.to_owned(),
            kind: ValueKind::read(schema, place),
            is_required: false,
            description: keyword("description").and_then(Value::as_str).map(str::to_owned),
            default: keyword("default").cloned(),
            limits: limits(resolved),
        }
    }

    /// The notation of the value in usage and help: `<integer>`.
    pub(super) fn value_name(&self) -> String {
        match self.kind.inner() {
            ValueKind::File => "@<file>".to_owned(),
            ValueKind::List(item) if **item == ValueKind::File => "@<file>...".to_owned(),
            ValueKind::List(item) => format!("<{}>...", item.name()),
            _ => format!("<{}>", self.kind.name()),
        }
    }
}

fn limits(schema: &Value) -> Vec<String> {
    if schema.get("tsType").is_some_and(|kind| kind == "File") {
        return file_limits(schema);
    }
    let number = |key: &str| schema.get(key).filter(|limit| limit.as_f64().is_some_and(|n| n.abs() < SAFE_INTEGER));
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
    let limit = |key: &str, words: &str| number(key).map(|limit| words.replace('N', &plain_value(limit)));
    let is_tuple = schema.get("prefixItems").is_some();
    [
        text("format"),
        limit("minimum", "at least N"),
        limit("exclusiveMinimum", "more than N"),
        limit("maximum", "at most N"),
        limit("exclusiveMaximum", "less than N"),
        limit("multipleOf", "a multiple of N"),
        limit("minLength", "N or more characters"),
        limit("maxLength", "N or fewer characters"),
        limit("minItems", "N or more values").filter(|_| !is_tuple),
        limit("maxItems", "N or fewer values").filter(|_| !is_tuple),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn file_limits(schema: &Value) -> Vec<String> {
    let number = |key: &str| schema.get(key).filter(|limit| limit.is_number());
    let limit = |key: &str, words: &str| number(key).map(|limit| words.replace('N', &plain_value(limit)));
    let media_type = |schema: &Value| schema.get("contentMediaType").and_then(Value::as_str).map(str::to_owned);
    let several = schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let types: Vec<String> = std::iter::once(schema).chain(several).filter_map(media_type).collect();
    let types = Some(types.join(" or ")).filter(|types| !types.is_empty());
    let sizes = [limit("minLength", "N or more bytes"), limit("maxLength", "N or fewer bytes")];
    std::iter::once(types).chain(sizes).flatten().collect()
}

/// `maxWords` and `max_words` become `max-words`, `parseURL` becomes `parse-url`.
pub(super) fn kebab(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut kebab = String::new();
    for (index, &character) in characters.iter().enumerate() {
        if character == '_' {
            kebab.push('-');
            continue;
        }
        let before = index.checked_sub(1).map(|before| characters[before]);
        let begins_word = character.is_uppercase()
            && before.is_some_and(|before| {
                let ends_capitals =
                    before.is_uppercase() && characters.get(index + 1).is_some_and(|c| c.is_lowercase());
                before.is_lowercase() || before.is_numeric() || ends_capitals
            });
        if begins_word {
            kebab.push('-');
        }
        kebab.extend(character.to_lowercase());
    }
    kebab
}
