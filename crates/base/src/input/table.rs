//! Assigns the columns of a table, or the keys of an object, to the properties of an input (docs/reference/map.md).

use serde_json::{Map, Value};

use super::{
    command_line::{CommandLine, FilledInput},
    fill::put,
    kind::ValueKind,
    problem::InputProblem,
    property::Declaration,
    reader::TextReader,
    value,
};
use crate::{diagnostic::closest, schema};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSetting {
    /// The property, or one within another: `address.city`.
    pub property: String,
    pub column: String,
}

/// The properties that the columns of a table provide.
pub struct Columns {
    targets: Vec<Vec<Target>>,
    unused: Vec<String>,
    nothing: CommandLine,
}

struct Target {
    path: Vec<String>,
    kind: ValueKind,
    /// Whether an empty cell is an empty string instead of no value.
    takes_empty: bool,
    column: String,
}

impl Declaration {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.properties.iter().map(|property| property.name.as_str())
    }

    /// Checks that each setting names a property.
    pub fn check_settings(&self, settings: &[ColumnSetting]) -> Result<(), InputProblem> {
        let unknown = settings.iter().find(|setting| self.fields.find(&setting.property).is_none());
        let Some(ColumnSetting { property, column }) = unknown else { return Ok(()) };
        let problem = InputProblem::new(format!("--set {property}={column}: the file takes no {property}"));
        Err(match closest(property, self.names()) {
            Some(near) => problem.hint(format!("did you mean {near}={column}?")),
            None => problem.hint(format!("it takes {}", list(self.names()))),
        })
    }

    /// Assigns columns to properties.
    ///
    /// # Errors
    /// A required property has no column, two columns provide the same property, or a setting names a missing column.
    pub fn columns(&self, columns: &[String], settings: &[ColumnSetting]) -> Result<Columns, InputProblem> {
        let found = self.assign(columns, settings)?;
        self.check_missing(&found, columns)?;
        Ok(found)
    }

    /// The same for columns that need not provide all required properties.
    pub fn assign(&self, columns: &[String], settings: &[ColumnSetting]) -> Result<Columns, InputProblem> {
        self.check_settings(settings)?;
        let missing = settings.iter().find(|setting| !columns.contains(&setting.column));
        if let Some(ColumnSetting { property, column }) = missing {
            let problem = InputProblem::new(format!("--set {property}={column}: there is no column {column}"));
            let near = closest(column, columns.iter().map(String::as_str));
            return Err(match near {
                Some(near) => problem.hint(format!("did you mean {property}={near}?")),
                None => problem.hint(format!("the columns are {}", list(columns.iter().map(String::as_str)))),
            });
        }
        let mut found =
            Columns { targets: Vec::new(), unused: Vec::new(), nothing: CommandLine::without_words(String::new()) };
        for column in columns {
            let set = settings.iter().filter(|setting| setting.column == *column).map(|setting| &*setting.property);
            let own = Some(column.as_str()).filter(|name| !name.is_empty());
            // A column with the name of a property is not used for it if a setting provides that property.
            let own = own.filter(|own| {
                let path = |name: &str| self.fields.known(name).map(|target| target.path);
                path(own)
                    .is_some_and(|own| settings.iter().all(|setting| path(&setting.property).as_ref() != Some(&own)))
            });
            let targets: Vec<Target> = set.chain(own).filter_map(|name| self.target(name, column)).collect();
            if targets.is_empty() {
                found.unused.push(column.clone());
            }
            found.targets.push(targets);
        }
        found.check_twice()?;
        Ok(found)
    }

    fn target(&self, property: &str, column: &str) -> Option<Target> {
        let target = self.fields.find(property)?;
        let required = |name: &String| self.fields.named(name).is_some_and(|property| property.is_required);
        let takes_empty = matches!(target.kind, ValueKind::Text { .. }) && target.path.first().is_some_and(required);
        Some(Target { path: target.path, kind: target.kind.clone(), takes_empty, column: column.to_owned() })
    }

    fn check_missing(&self, found: &Columns, columns: &[String]) -> Result<(), InputProblem> {
        let given = |name: &str| found.all().any(|target| target.path.first().is_some_and(|first| first == name));
        let required = self.fields.properties.iter().filter(|property| property.is_required);
        let missing = |kind: &ValueKind| *kind != ValueKind::Anything;
        let Some(property) =
            required.filter(|property| missing(&property.kind)).find(|property| !given(&property.name))
        else {
            return Ok(());
        };
        let name = &property.name;
        let problem = InputProblem::new(format!(
            "no column gives {name}, which the file requires; the columns are {}",
            list(columns.iter().map(String::as_str))
        ));
        let near = closest(name, found.unused.iter().map(String::as_str));
        let column = near.or(found.unused.first().map(String::as_str)).unwrap_or("COLUMN");
        Err(problem.hint(format!("say which column it is: --set {name}={column}")))
    }

    pub fn of_keys(&self, mut object: Map<String, Value>, settings: &[ColumnSetting]) -> Map<String, Value> {
        let set: Vec<_> = settings
            .iter()
            .filter_map(|setting| {
                Some((self.fields.find(&setting.property)?.path, object.get(&setting.column)?.clone()))
            })
            .collect();
        for setting in settings.iter().filter(|setting| self.fields.named(&setting.column).is_none()) {
            object.shift_remove(&setting.column);
        }
        set.into_iter().for_each(|(path, value)| put(&mut object, &path, value));
        object
    }

    /// The message for a row that does not fit the schema.
    pub fn problem_of_row(&self, input: &Map<String, Value>, found: &[schema::ValidationProblem]) -> String {
        let filled = FilledInput { input: input.clone(), is_standard_input_empty: false };
        InputProblem::from_schema(self, &filled, found, true).message
    }
}

impl Columns {
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    pub fn input<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Result<Map<String, Value>, InputProblem> {
        let mut reader = TextReader::new(&self.nothing);
        let mut input = Map::new();
        for (cell, targets) in cells.zip(&self.targets) {
            for target in targets {
                if cell.is_empty() && !target.takes_empty {
                    continue;
                }
                let value = value::cell(&mut reader, &target.column, &target.kind, cell)?;
                put(&mut input, &target.path, value);
            }
        }
        Ok(input)
    }

    fn all(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().flatten()
    }

    fn check_twice(&self) -> Result<(), InputProblem> {
        let all: Vec<&Target> = self.all().collect();
        for (index, target) in all.iter().enumerate() {
            if let Some(first) = all[..index].iter().find(|first| first.path == target.path) {
                let (property, columns) = (target.path.join("."), (&first.column, &target.column));
                let message = format!("the columns {} and {} both give {property}", columns.0, columns.1);
                return Err(InputProblem::new(message).hint(format!("say which it is: --set {property}={}", columns.0)));
            }
        }
        Ok(())
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
