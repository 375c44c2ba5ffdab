//! Converts the rows into inputs of a variant, and validates them before anything is asked.

use std::{collections::HashMap, rc::Rc, sync::Arc};

use serde_json::{Map, Value};

use super::rows::RawRows;
use crate::eval_file::Variant;
use lmthing_base::{
    diagnostic::{Diagnostic, closest},
    input::{Columns, InputProblem, InputShape, UnreadableText},
};
use lmthing_engine::bindings::InputRows;
use lmthing_map::{RowFiles, Values, stable_hash};

/// The rows as a variant takes them.
pub(crate) struct VariantRows {
    pub(crate) taken: Arc<InputShape>,
    /// Without what the variant replaces.
    pub(crate) inputs: Vec<Rc<Map<String, Value>>>,
    /// Identify the rows by their inputs; of equal rows each has its own.
    pub(crate) keys: Vec<String>,
    /// Columns of a table that give no property of the input.
    unused: Vec<String>,
    /// A column that may be a misspelt property of the input.
    pub(crate) similar: Option<SimilarColumn>,
    /// Where paths in rows count from.
    pub(crate) files: RowFiles,
}

/// A column for the scores, and the property with a similar name that no row has.
pub(crate) struct SimilarColumn {
    pub(crate) column: String,
    pub(crate) property: String,
}

impl VariantRows {
    /// All columns of a row, for the scores.
    pub(crate) fn columns(&self, raw: &RawRows, index: usize) -> Map<String, Value> {
        match (&raw.rows[index].values, &raw.header) {
            (Values::Object(object), _) => object.clone(),
            (Values::Cells(cells), header) => {
                let mut columns = (*self.inputs[index]).clone();
                for (name, cell) in header.iter().flatten().zip(cells) {
                    if self.unused.contains(name) && !columns.contains_key(name) {
                        columns.insert(name.clone(), cell.clone().into());
                    }
                }
                columns
            }
        }
    }
}

/// Gives the rows to the check of a prompt file and takes its findings.
pub(super) struct RowCheck<'a> {
    raw: &'a RawRows,
    variant: &'a Variant,
    /// Named in messages if the eval file has several variants.
    is_named: bool,
    next: usize,
    columns: Option<Columns>,
    taken: Option<Arc<InputShape>>,
    inputs: Vec<Rc<Map<String, Value>>>,
    fault: Option<(usize, String)>,
    /// Whether the fault is a file that cannot be read.
    lacks_file: bool,
    wrong: u64,
}

impl<'a> RowCheck<'a> {
    pub(super) fn new(raw: &'a RawRows, variant: &'a Variant, is_named: bool) -> Self {
        RowCheck {
            raw,
            variant,
            is_named,
            next: 0,
            columns: None,
            taken: None,
            inputs: Vec::with_capacity(raw.rows.len()),
            fault: None,
            lacks_file: false,
            wrong: 0,
        }
    }

    /// Fails if a row, or what the variant replaces, does not fit.
    pub(super) fn finish(self) -> Result<VariantRows, Box<Diagnostic>> {
        self.taken.iter().try_for_each(|taken| self.check_replaced(taken))?;
        let similar = self.similar_column();
        if let Some((index, why)) = self.fault {
            let variant = if self.is_named { format!(", variant {}", self.variant.name) } else { String::new() };
            let others = match self.wrong - 1 {
                0 => String::new(),
                1 => "; 1 further row does not fit".to_owned(),
                count => format!("; {count} further rows do not fit"),
            };
            let message = format!("{}{variant}: {why}{others}", self.raw.name_of(index));
            let hint = match similar {
                _ if self.lacks_file => format!("paths in rows count from {}", self.raw.files.shown_folder()),
                Some(SimilarColumn { column, property }) => {
                    format!("did you mean '{property}' by the column '{column}'?")
                }
                None => format!("a row needs what the input of {} requires", self.variant.shown_file),
            };
            return Err(Box::new(Diagnostic::new(message).with_hint(hint)));
        }
        let Some(taken) = self.taken else { return Err(Box::new(Diagnostic::new("the rows were not checked"))) };
        let mut counts: HashMap<String, u32> = HashMap::new();
        let keys = self.inputs.iter().map(|input| {
            // A row with a changed file is another row. A file that is gone since it was read has no hash.
            let mut hashed = Map::clone(input);
            let _ = self.raw.files.add_hashes(&taken.declaration, &mut hashed);
            let hash = stable_hash(&hashed);
            let count = counts.entry(hash.clone()).or_default();
            *count += 1;
            format!("{hash}-{count}")
        });
        let keys = keys.collect();
        let unused = self.columns.as_ref().map(|columns| columns.unused().to_vec()).unwrap_or_default();
        Ok(VariantRows { taken, inputs: self.inputs, keys, unused, similar, files: self.raw.files.clone() })
    }

    fn add_fault(&mut self, why: String) {
        self.wrong += 1;
        self.fault.get_or_insert((self.next - 1, why));
    }

    /// Fails if the variant replaces what is no property of the input.
    fn check_replaced(&self, taken: &InputShape) -> Result<(), Box<Diagnostic>> {
        let names: Vec<&str> = taken.declaration.names().collect();
        let Some(unknown) = self.variant.input.keys().find(|name| !names.contains(&name.as_str())) else {
            return Ok(());
        };
        let Variant { name, shown_file, .. } = self.variant;
        let message = format!("the variant '{name}' replaces the input '{unknown}', which {shown_file} does not take");
        let hint = match closest(unknown, names.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None if names.is_empty() => "it takes no input".to_owned(),
            None => format!("it takes {}", names.join(", ")),
        };
        Err(Box::new(Diagnostic::new(message).with_hint(hint)))
    }

    fn similar_column(&self) -> Option<SimilarColumn> {
        let names: Vec<&str> = self.taken.as_ref()?.declaration.names().collect();
        let others: Vec<&str> = match &self.columns {
            Some(columns) => columns.unused().iter().map(String::as_str).collect(),
            None => self.raw.property_names().into_iter().filter(|name| !names.contains(name)).collect(),
        };
        let is_given = |name: &str| {
            self.variant.input.contains_key(name) || self.inputs.iter().any(|input| input.contains_key(name))
        };
        let similar = |name: &&str| {
            let column = closest(name, others.iter().copied())?.to_owned();
            Some(SimilarColumn { column, property: (*name).to_owned() })
        };
        names.iter().filter(|name| !is_given(name)).find_map(similar)
    }

    /// The whole input of a cell with the files that it names.
    fn load(&self, input: &Map<String, Value>) -> Result<Map<String, Value>, UnreadableText> {
        let whole = with_replaced(input, self.variant);
        let Some(taken) = &self.taken else { return Ok(whole) };
        self.raw.files.load(&taken.declaration, &whole)
    }

    fn input(&self, index: usize) -> Result<Map<String, Value>, InputProblem> {
        let declaration = self.taken.as_ref().map(|taken| &taken.declaration);
        match (&self.raw.rows[index].values, &self.columns) {
            (Values::Cells(cells), Some(columns)) => columns.input(cells.iter().map(String::as_str)),
            (Values::Cells(_), None) => Ok(Map::new()),
            (Values::Object(object), _) => {
                let is_property = |name: &str| declaration.is_some_and(|known| known.names().any(|it| it == name));
                let properties = object.iter().filter(|(name, _)| is_property(name));
                Ok(properties.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
        }
    }
}

impl InputRows for RowCheck<'_> {
    fn begin(&mut self, taken: Arc<InputShape>) -> Result<(), Box<Diagnostic>> {
        let header = self.raw.header.as_ref();
        self.columns = header.map(|header| taken.declaration.assign(header, &[])).transpose().map_err(|problem| {
            let problem = Diagnostic::from(problem);
            Box::new(Diagnostic { message: format!("{}: {}", self.raw.name, problem.message), ..problem })
        })?;
        self.taken = Some(taken);
        Ok(())
    }

    fn next(&mut self) -> Option<Map<String, Value>> {
        while self.next < self.raw.rows.len() {
            let input = self.input(self.next);
            self.next += 1;
            match input {
                Ok(input) => {
                    let loaded = self.load(&input);
                    self.inputs.push(Rc::new(input));
                    match loaded {
                        Ok(whole) => return Some(whole),
                        Err(why) => {
                            self.lacks_file |= self.fault.is_none();
                            self.add_fault(why.to_string());
                        }
                    }
                }
                Err(problem) => {
                    self.inputs.push(Rc::default());
                    self.add_fault(problem.message().to_owned());
                }
            }
        }
        None
    }

    fn checked(&mut self, wrong: Option<String>) {
        wrong.into_iter().for_each(|why| self.add_fault(why));
    }
}

/// The input of a cell: that of its row with what the variant replaces.
pub(crate) fn with_replaced(input: &Map<String, Value>, variant: &Variant) -> Map<String, Value> {
    let mut whole = input.clone();
    whole.extend(variant.input.iter().map(|(name, value)| (name.clone(), value.clone())));
    whole
}

/// No rows: the file is only loaded.
pub(super) struct NoRows;

impl InputRows for NoRows {
    fn begin(&mut self, _taken: Arc<InputShape>) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }

    fn next(&mut self) -> Option<Map<String, Value>> {
        None
    }

    fn checked(&mut self, _wrong: Option<String>) {}
}
