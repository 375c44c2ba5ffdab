//! Results as a CSV table (docs/reference/map.md, docs/reference/eval.md): RFC 4180, one column for each property of
//! input and output, nested values as JSON.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek, Write},
};

use csv::{Terminator, WriterBuilder};
use indexmap::IndexSet;
use serde_json::{Map, Value};

/// Columns that every table may have.
const OWN: [&str; 8] = ["text", "output", "finishReason", "inputTokens", "outputTokens", "cost", "durationMs", "error"];

/// First characters of a cell that spreadsheets interpret as a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Columns of a table that do not depend on its lines.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Keys of a line, which are the first columns.
    pub keys: &'a [&'a str],
    /// Properties of inputs that are columns even if no line has them.
    pub inputs: &'a [String],
    /// Names of scores.
    pub scores: &'a [String],
    /// Whether there is a column of errors even if no line has one.
    pub has_error: bool,
}

type Take<'a> = &'a mut dyn FnMut(&Map<String, Value>) -> io::Result<()>;

impl Table<'_> {
    /// Writes a table of lines, which `each` passes on, once for the columns and once for the cells.
    pub fn write(self, each: impl Fn(Take<'_>) -> io::Result<()>, to: &mut dyn Write) -> io::Result<()> {
        let mut columns = Columns {
            keys: self.keys.iter().map(|key| (*key).to_owned()).collect(),
            input: self.inputs.iter().cloned().collect(),
            scores: self.scores.to_vec(),
            has_error: self.has_error,
            ..Columns::default()
        };
        each(&mut |row| {
            columns.add(row);
            Ok(())
        })?;
        // Each write is a whole record, so that no character is split.
        let mut record = Vec::new();
        write_record(&mut record, columns.header(), to)?;
        each(&mut |row| write_record(&mut record, columns.cells(row), to))
    }
}

#[derive(Default)]
struct Columns {
    keys: Vec<String>,
    input: IndexSet<String>,
    has_text: bool,
    /// Properties of outputs that are objects.
    output: IndexSet<String>,
    has_output: bool,
    scores: Vec<String>,
    has_error: bool,
}

/// Writes a table of the results in `lines`. `inputs` are columns even if no row has them.
pub(super) fn write(lines: &File, inputs: &[String], to: &mut dyn Write) -> io::Result<()> {
    let table = Table { keys: &["row"], inputs, scores: &[], has_error: false };
    table.write(|take| each(lines, take), to)
}

fn write_record(buffer: &mut Vec<u8>, cells: Vec<String>, to: &mut dyn Write) -> io::Result<()> {
    buffer.clear();
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(&mut *buffer);
    writer.write_record(cells)?;
    writer.flush()?;
    drop(writer);
    to.write_all(buffer)
}

fn each(lines: &File, take: Take<'_>) -> io::Result<()> {
    let mut file = lines.try_clone()?;
    file.rewind()?;
    for line in BufReader::new(file).lines() {
        if let Ok(Value::Object(row)) = serde_json::from_str(&line?) {
            take(&row)?;
        }
    }
    Ok(())
}

impl Columns {
    fn add(&mut self, row: &Map<String, Value>) {
        if let Some(Value::Object(input)) = row.get("input") {
            add(&mut self.input, input);
        }
        self.has_text |= row.contains_key("text");
        match row.get("output") {
            Some(Value::Object(output)) => add(&mut self.output, output),
            Some(_) => self.has_output = true,
            None => {}
        }
        self.has_error |= row.contains_key("error");
    }

    fn header(&self) -> Vec<String> {
        let is_own = |name: &String| self.keys.contains(name) || OWN.contains(&name.as_str());
        let input = self.input.iter().map(|name| if is_own(name) { format!("input.{name}") } else { name.clone() });
        let output = self.output.iter().map(|name| match is_own(name) || self.input.contains(name) {
            true => format!("output.{name}"),
            false => name.clone(),
        });
        let scores = self.scores.iter().map(|name| {
            match is_own(name) || self.input.contains(name) || self.output.contains(name) {
                true => format!("score.{name}"),
                false => name.clone(),
            }
        });
        let mut header = self.keys.clone();
        header.extend(input.map(|name| guarded(&name)));
        header.extend(self.has_text.then(|| "text".to_owned()));
        header.extend(self.has_output.then(|| "output".to_owned()));
        header.extend(output.map(|name| guarded(&name)));
        header.extend(scores.map(|name| guarded(&name)));
        header.extend(OWN[2..7].iter().map(|name| (*name).to_owned()));
        header.extend(self.has_error.then(|| "error".to_owned()));
        header
    }

    fn cells(&self, row: &Map<String, Value>) -> Vec<String> {
        let of = |outer: &str, key: &str| row.get(outer).and_then(|outer| outer.get(key)).map(cell).unwrap_or_default();
        let own = |key: &str| row.get(key).map(cell).unwrap_or_default();
        let mut cells: Vec<String> = self.keys.iter().map(|key| own(key)).collect();
        cells.extend(self.input.iter().map(|key| of("input", key)));
        cells.extend(self.has_text.then(|| own("text")));
        let is_object = row.get("output").is_some_and(Value::is_object);
        cells.extend(self.has_output.then(|| if is_object { String::new() } else { own("output") }));
        cells.extend(self.output.iter().map(|key| of("output", key)));
        let score = |name| row.get("scores").and_then(|scores| scores.get(name)?.get("score"));
        cells.extend(self.scores.iter().map(|name| score(name).map(cell).unwrap_or_default()));
        cells.push(own("finishReason"));
        cells.extend(["inputTokens", "outputTokens"].map(|key| of("usage", key)));
        cells.extend(["cost", "durationMs"].map(own));
        cells.extend(self.has_error.then(|| of("error", "message")));
        cells
    }
}

fn add(names: &mut IndexSet<String>, object: &Map<String, Value>) {
    for name in object.keys() {
        if !names.contains(name) {
            names.insert(name.clone());
        }
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => guarded(text),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or_else(|| number.to_string(), |number| number.to_string())
        }
        other => other.to_string(),
    }
}

/// Prefixes text that a spreadsheet would run as a formula with an apostrophe. Numbers are left as they are.
fn guarded(text: &str) -> String {
    if text.starts_with(FORMULA) && text.parse::<f64>().is_err() { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_does_not_become_a_formula() {
        let shown = ["=1+1", "@sum", "-5", "-x", "+49 30", "plain"].map(guarded);
        assert_eq!(shown, ["'=1+1", "'@sum", "-5", "'-x", "'+49 30", "plain"]);
    }

    #[test]
    fn a_table_has_all_columns() {
        let mut lines = tempfile::tempfile().unwrap();
        let text = concat!(
            r#"{"row":1,"input":{"city":"Rome, IT"},"output":{"city":"x","n":[1]},"finishReason":"stop","usage":{"inputTokens":3},"cost":0,"durationMs":4}"#,
            "\n",
            r#"{"row":2,"input":{"city":"\"Q\"","days":2},"text":"a\nb","usage":{},"cost":null,"durationMs":4,"error":{"message":"bad"}}"#,
            "\n",
        );
        lines.write_all(text.as_bytes()).unwrap();
        let mut table = Vec::new();
        write(&lines, &["city".to_owned()], &mut table).unwrap();
        let expected = "row,city,days,text,output.city,n,finishReason,inputTokens,outputTokens,cost,durationMs,error\r\n\
                        1,\"Rome, IT\",,,x,[1],stop,3,,0,4,\r\n\
                        2,\"\"\"Q\"\"\",2,\"a\nb\",,,,,,,4,bad\r\n";
        assert_eq!(String::from_utf8(table).unwrap(), expected);
    }
}
