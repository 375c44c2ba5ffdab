//! An answer while it comes: its value so far, and the elements of a list that are complete.

use std::{cell::OnceCell, rc::Rc};

use serde_json::Value;

use super::{
    partial_schema::partial_schema,
    scanner::JsonScanner,
    shape::{AnswerShape, MOST_PLACES},
};
use crate::{chat::read_json, schema::Validator};

/// Reads the text of an answer in pieces. Other text before the JSON is passed over, as [`AnswerShape::find`] does.
#[derive(Debug)]
pub struct PartialAnswer {
    shape: Rc<AnswerShape>,
    /// Accepts the values of incomplete answers; `None` if it cannot be compiled.
    partial: OnceCell<Option<Rc<Validator>>>,
    text: String,
    /// The document that is read, and where the next one is searched for.
    document: Option<Document>,
    search_from: usize,
    places: usize,
    /// Whether the answer has matched the schema, so that no further document is searched for.
    is_found: bool,
    last: Option<PartialValue>,
    /// Whether the last value is one of this answer.
    is_last_of_answer: bool,
    /// The newest value, if it does not extend the last one: that of another document, or of a key that comes twice.
    held: Option<PartialValue>,
}

#[derive(Debug)]
struct Document {
    scanner: JsonScanner,
    /// It does not match the schema, whatever follows.
    is_refused: bool,
    taken_version: u64,
    /// The end of what was taken.
    taken_end: usize,
    /// How many elements were taken.
    elements: usize,
}

/// The value of an answer so far.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialValue {
    /// As JSON.
    pub text: String,
    pub value: Value,
}

/// An element of a list, which is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialElement {
    /// Its place in the list.
    pub index: usize,
    /// As JSON.
    pub text: String,
}

impl PartialAnswer {
    pub fn new(shape: Rc<AnswerShape>) -> Self {
        PartialAnswer {
            shape,
            partial: OnceCell::new(),
            text: String::new(),
            document: None,
            search_from: 0,
            places: 0,
            is_found: false,
            last: None,
            is_last_of_answer: false,
            held: None,
        }
    }

    /// Begins another answer, such as the one of the next step.
    pub fn begin(&mut self) {
        self.text.clear();
        self.document = None;
        self.search_from = 0;
        self.places = 0;
        self.is_found = false;
        self.is_last_of_answer = false;
        self.held = None;
    }

    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.scan();
    }

    fn scan(&mut self) {
        while !self.is_found {
            if let Some(document) = &mut self.document {
                document.scanner.scan(&self.text);
                if document.scanner.is_invalid() {
                    self.search_from = document.scanner.start() + 1;
                    self.document = None;
                    continue;
                }
                let Some(end) = document.scanner.end() else { return };
                self.search_from = self.search_from.max(end);
            }
            let Some(start) = self.next_start() else { return };
            if self.document.as_ref().is_some_and(|document| self.is_match(document)) {
                self.is_found = true;
                return;
            }
            self.places += 1;
            self.search_from = start + 1;
            self.document = Some(Document {
                scanner: JsonScanner::new(start),
                is_refused: false,
                taken_version: 0,
                taken_end: start,
                elements: 0,
            });
        }
    }

    /// Where the next document may begin. A text can only be the whole answer, or the content of a fence.
    fn next_start(&mut self) -> Option<usize> {
        let is_text = self.shape.format().schema["type"] == "string";
        let starts: &[char] = if is_text { &['"'] } else { &['{', '['] };
        while self.places < MOST_PLACES {
            let Some(found) = self.text.get(self.search_from..)?.find(starts) else { break };
            let start = self.search_from + found;
            let before = self.text[..start].trim_end();
            if !is_text || before.is_empty() || before.lines().next_back().is_some_and(|line| line.starts_with("```")) {
                return Some(start);
            }
            self.places = MOST_PLACES.min(self.places + 1);
            self.search_from = start + 1;
        }
        self.search_from = self.text.len();
        None
    }

    fn is_match(&self, document: &Document) -> bool {
        let text = document.scanner.end().and_then(|end| self.text.get(document.scanner.start()..end));
        !document.is_refused && text.is_some_and(|text| self.shape.matches(text))
    }

    /// The size of the value that [`PartialAnswer::take_value`] would make, if there may be another one.
    pub fn next_size(&self) -> Option<usize> {
        let document = self.document.as_ref().filter(|document| !document.is_refused)?;
        (document.scanner.version() != document.taken_version).then(|| document.scanner.size())
    }

    /// The value so far, if it is another one than the last. Each value of an answer extends the one before.
    pub fn take_value(&mut self) -> Option<&PartialValue> {
        self.next_size()?;
        let document = self.document.as_ref()?;
        let (version, shown_end) = (document.scanner.version(), document.scanner.shown_end());
        let whole = self.accepted(document.scanner.value(&self.text)).map(|value| (value, shown_end));
        // A text that the schema does not accept yet is left out, unless its beginning was accepted.
        let taken = whole.map(Some).or_else(|| {
            let (text, end) = document.scanner.value_without_string(&self.text)?;
            if end < document.taken_end {
                return Some(None);
            }
            self.accepted(text).map(|value| Some((value, end)))
        });
        let document = self.document.as_mut()?;
        document.taken_version = version;
        match taken {
            None => {
                document.is_refused = true;
                None
            }
            Some(None) => None,
            Some(Some((value, end))) => {
                document.taken_end = end;
                self.set_last_if_it_grows(value)
            }
        }
    }

    fn accepted(&self, text: String) -> Option<PartialValue> {
        let value = read_json(&text).ok()?;
        self.accepts(&value).then_some(PartialValue { text, value })
    }

    fn accepts(&self, value: &Value) -> bool {
        let compiled = || Validator::compiled(&partial_schema(&self.shape.format().schema)).ok();
        self.partial.get_or_init(compiled).as_ref().is_none_or(|validator| validator.accepts(value))
    }

    /// Holds back a value that the last one of this answer is no beginning of, and one that seems to be of another shape.
    fn set_last_if_it_grows(&mut self, value: PartialValue) -> Option<&PartialValue> {
        let last = self.last.as_ref().filter(|_| self.is_last_of_answer);
        if last.is_some_and(|last| !extends(&last.value, &value.value)) || !self.has_known_property(&value.value) {
            self.held = Some(value);
            return None;
        }
        self.set_last(value)
    }

    /// Whether an object has a property that the schema names, if it has any and the schema names some.
    fn has_known_property(&self, value: &Value) -> bool {
        let schema = &self.shape.format().schema;
        let named = schema["properties"].as_object().filter(|named| !named.is_empty());
        let is_open = schema.get("additionalProperties").is_some() || schema.get("patternProperties").is_some();
        match (named, value.as_object().filter(|object| !object.is_empty())) {
            (Some(named), Some(object)) if !is_open => object.keys().any(|name| named.contains_key(name)),
            _ => true,
        }
    }

    fn set_last(&mut self, value: PartialValue) -> Option<&PartialValue> {
        self.is_last_of_answer = true;
        self.held = None;
        if self.last.as_ref().is_some_and(|last| last.value == value.value) {
            return None;
        }
        Some(self.last.insert(value))
    }

    /// The value of an answer that is complete, if it is another one than the last.
    pub fn finish(&mut self, is_cut: bool) -> Option<&PartialValue> {
        match self.other_json(is_cut) {
            Some(found) => self.set_last(found),
            None if self.next_size().is_some() && self.take_value().is_some() => self.last.as_ref(),
            None => {
                let held = self.held.take()?;
                self.set_last(held)
            }
        }
    }

    /// What [`AnswerShape::find`] finds in an answer that is complete, if that is not the document that was read.
    pub fn other_json(&self, is_cut: bool) -> Option<PartialValue> {
        let read = self.document.as_ref().and_then(|document| {
            let start = document.scanner.start();
            self.text.get(start..document.scanner.end()?)
        });
        let whole = self.text.trim();
        if whole.is_empty() || read == Some(whole) {
            return None;
        }
        let found = self.shape.find(whole, is_cut).ok()?;
        let is_other = read != Some(&found.text) && self.accepts(&found.value);
        is_other.then_some(PartialValue { text: found.text, value: found.value })
    }

    /// The next complete element of an answer that is a list.
    pub fn take_element(&mut self) -> Option<PartialElement> {
        let document = self.document.as_mut().filter(|document| !document.is_refused)?;
        let text = document.scanner.take_item().and_then(|range| self.text.get(range))?.to_owned();
        let index = document.elements;
        document.elements += 1;
        Some(PartialElement { index, text })
    }

    /// Gives no more of the document that is read, as one of its elements does not match.
    pub fn refuse(&mut self) {
        if let Some(document) = &mut self.document {
            document.is_refused = true;
        }
    }
}

/// Whether `later` is `earlier` or extends it: texts and lists become longer, objects get further properties, and nothing
/// else changes.
pub fn extends(earlier: &Value, later: &Value) -> bool {
    match (earlier, later) {
        (Value::String(earlier), Value::String(later)) => later.starts_with(earlier.as_str()),
        (Value::Array(earlier), Value::Array(later)) => {
            earlier.len() <= later.len() && earlier.iter().zip(later).all(|(earlier, later)| extends(earlier, later))
        }
        (Value::Object(earlier), Value::Object(later)) => {
            earlier.iter().all(|(name, earlier)| later.get(name).is_some_and(|later| extends(earlier, later)))
        }
        _ => earlier == later,
    }
}

/// Limits the size of all values of an answer together to a multiple of the size of the last one.
#[derive(Clone, Copy, Debug, Default)]
pub struct SizeBudget {
    /// For the first values, which are small.
    base: usize,
    factor: usize,
    spent: usize,
}

impl SizeBudget {
    pub const fn new(base: usize, factor: usize) -> Self {
        SizeBudget { base, factor, spent: 0 }
    }

    /// Whether another value of this size is within the budget.
    pub fn allows(&self, size: usize) -> bool {
        self.spent + size <= self.base + self.factor * size
    }

    pub fn spend(&mut self, size: usize) {
        self.spent += size;
    }
}
