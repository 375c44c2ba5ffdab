//! Writes results in the order of rows, whatever order they finish in.
//!
//! A result that finishes early is spilled to a file, because an earlier row may take minutes while thousands finish.

use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    line::{RowOutcome, to_line},
    sink::UnitSink,
    store::{OpenOutput, Store, cannot_write, with_suffix},
    table,
};
use crate::options::Format;
use lmthing_base::diagnostic::Diagnostic;

pub(crate) struct Writer {
    sink: Sink,
    is_ordered: bool,
    /// Rows that were started and not written yet, in order.
    due: VecDeque<u64>,
    /// Offset and length of spilled results, by row.
    waiting: HashMap<u64, (u64, usize)>,
    spill: Option<File>,
    spill_end: u64,
    table: Option<PathBuf>,
    columns: Vec<String>,
}

enum Sink {
    Out(Box<OpenOutput>),
    Lines,
    TempFile(File),
}

impl Writer {
    pub(crate) fn to_stdout(format: Format, is_ordered: bool, columns: Vec<String>) -> io::Result<Self> {
        let sink = match format {
            Format::JsonLines => Sink::Lines,
            Format::Csv => Sink::TempFile(tempfile::tempfile()?),
        };
        Ok(Writer::new(sink, is_ordered, columns))
    }

    pub(crate) fn to_file(
        store: Store,
        (out, format): (&Path, Format),
        is_ordered: bool,
        columns: Vec<String>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Box<Diagnostic>> {
        let output = store.begin(notes)?;
        let table = (format == Format::Csv).then(|| out.to_owned());
        Ok(Writer { table, ..Writer::new(Sink::Out(Box::new(output)), is_ordered, columns) })
    }

    fn new(sink: Sink, is_ordered: bool, columns: Vec<String>) -> Self {
        Writer {
            sink,
            is_ordered,
            due: VecDeque::new(),
            waiting: HashMap::new(),
            spill: None,
            spill_end: 0,
            table: None,
            columns,
        }
    }

    /// Writes the result of a row, or spills it. Lines for standard output are passed to `print`.
    fn write(&mut self, row: u64, line: &str, print: &mut dyn FnMut(&str)) -> io::Result<()> {
        if !self.is_ordered {
            return self.put(line, print);
        }
        if self.due.front() != Some(&row) {
            return self.spill_result(row, line);
        }
        self.put(line, print)?;
        self.due.pop_front();
        while let Some(next) = self.due.front().copied()
            && let Some(location) = self.waiting.remove(&next)
        {
            let line = self.take(location)?;
            self.put(&line, print)?;
            self.due.pop_front();
        }
        if self.waiting.is_empty() {
            self.empty_spill()?;
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Box<Diagnostic> {
        match &self.sink {
            Sink::Out(output) => cannot_write(output.path(), error),
            Sink::Lines | Sink::TempFile(_) => cannot_write(Path::new("the results"), error),
        }
    }

    fn finish_lines(&mut self, print: &mut dyn FnMut(&str)) -> io::Result<()> {
        for row in std::mem::take(&mut self.due) {
            if let Some(location) = self.waiting.remove(&row) {
                let line = self.take(location)?;
                self.put(&line, print)?;
            }
        }
        self.empty_spill()?;
        match &self.sink {
            Sink::Out(output) if self.is_ordered => output.put_in_order(),
            _ => Ok(()),
        }
    }

    fn finish_table(&mut self, print: &mut dyn FnMut(&str)) -> io::Result<()> {
        match (&self.sink, &self.table) {
            (Sink::Out(output), Some(table)) => {
                let path = with_suffix(table, ".new");
                table::write(&File::open(output.path())?, &self.columns, &mut File::create(&path)?)?;
                std::fs::rename(path, table)
            }
            (Sink::TempFile(lines), _) => table::write(lines, &self.columns, &mut PrintWriter(print)),
            _ => Ok(()),
        }
    }

    fn put(&mut self, line: &str, print: &mut dyn FnMut(&str)) -> io::Result<()> {
        match &mut self.sink {
            // Unbuffered, so that a crash loses no result.
            Sink::Out(output) => output.results.write_all(line.as_bytes()),
            Sink::TempFile(file) => file.write_all(line.as_bytes()),
            Sink::Lines => {
                print(line);
                Ok(())
            }
        }
    }

    fn spill_result(&mut self, row: u64, line: &str) -> io::Result<()> {
        let start = self.spill_start();
        if self.spill.is_none() {
            self.spill = Some(match &self.sink {
                Sink::Out(output) => output.state_file.try_clone()?,
                Sink::Lines | Sink::TempFile(_) => tempfile::tempfile()?,
            });
        }
        let Some(spill) = &mut self.spill else { return Ok(()) };
        let end = start + self.spill_end;
        spill.seek(SeekFrom::Start(end))?;
        spill.write_all(line.as_bytes())?;
        self.spill_end += line.len() as u64;
        self.waiting.insert(row, (end, line.len()));
        Ok(())
    }

    fn spill_start(&self) -> u64 {
        match &self.sink {
            Sink::Out(output) => output.header_length,
            Sink::Lines | Sink::TempFile(_) => 0,
        }
    }

    fn take(&mut self, (offset, length): (u64, usize)) -> io::Result<String> {
        let Some(spill) = &mut self.spill else { return Ok(String::new()) };
        let mut line = vec![0; length];
        spill.seek(SeekFrom::Start(offset))?;
        spill.read_exact(&mut line)?;
        String::from_utf8(line).map_err(io::Error::other)
    }

    fn empty_spill(&mut self) -> io::Result<()> {
        if self.spill_end > 0
            && let Some(spill) = &self.spill
        {
            spill.set_len(self.spill_start())?;
            self.spill_end = 0;
        }
        Ok(())
    }
}

impl UnitSink for Writer {
    fn begin(&mut self, row: u64) {
        if self.is_ordered {
            self.due.push_back(row);
        }
    }

    fn keep(
        &mut self,
        row: u64,
        input: &Map<String, Value>,
        outcome: RowOutcome,
        print: &mut dyn FnMut(&str),
    ) -> Result<(), Box<Diagnostic>> {
        let written = self.write(row, &to_line(row, input, &outcome), print);
        written.map_err(|error| self.failed(&error))
    }

    /// Writes the spilled results, skipping rows that did not finish.
    fn finish(&mut self, print: &mut dyn FnMut(&str)) -> Result<(), Box<Diagnostic>> {
        self.finish_lines(print).and_then(|()| self.finish_table(print)).map_err(|error| self.failed(&error))
    }

    fn sync(&self) -> Result<(), Box<Diagnostic>> {
        let Sink::Out(output) = &self.sink else { return Ok(()) };
        let synced = output.results.sync_data().and_then(|()| output.state_file.sync_data());
        synced.map_err(|error| self.failed(&error))
    }
}

struct PrintWriter<'a>(&'a mut dyn FnMut(&str));

impl Write for PrintWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Every call passes whole records, so that no character is split.
        (self.0)(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
