//! Rows of CSV and TSV files: RFC 4180 with the variations of spreadsheets.

use std::{
    fs::File,
    io::{BufRead, BufReader, Chain, Read},
};

use csv::{ByteRecord, Reader, ReaderBuilder};
use thiserror::Error;

use super::record::{Fault, Record, Values};

/// Sentinel appended after the last row. If it does not parse as a row of its own, a quote was not closed.
const SENTINEL: &str = "\r\n.";

/// Why a table cannot be read, or not any further.
#[derive(Debug, Error)]
pub(super) enum InvalidTable {
    #[error("there is no header: the first line names the columns")]
    NoHeader,
    #[error("the header is not UTF-8 text")]
    HeaderNotText,
    #[error("the column {0} is there twice")]
    ColumnTwice(String),
    #[error("a cell in line {line} begins with a quote that is never closed")]
    UnclosedQuote { line: u64 },
    #[error(transparent)]
    Read(#[from] csv::Error),
}

pub(super) fn header(file: File, delimiter: u8) -> Result<Vec<String>, InvalidTable> {
    let Row { cells: names, .. } = Table::new(file, delimiter).next().ok_or(InvalidTable::NoHeader)??;
    let names: Result<Vec<String>, _> = names.iter().map(|name| String::from_utf8(name.to_vec())).collect();
    let names = names.map_err(|_| InvalidTable::HeaderNotText)?;
    let names: Vec<String> = names.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_owned()).collect();
    if names.iter().all(String::is_empty) {
        return Err(InvalidTable::NoHeader);
    }
    for (index, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..index].contains(name) {
            return Err(InvalidTable::ColumnTwice(name.clone()));
        }
    }
    Ok(names)
}

pub(super) fn records(file: File, delimiter: u8, columns: usize) -> impl Iterator<Item = Result<Record, Fault>> {
    Table::new(file, delimiter).skip(1).map(move |row| match row {
        Ok(row) if row.cells.len() == columns => record(&row),
        Ok(Row { cells, line }) => {
            let (count, s) = (cells.len(), if cells.len() == 1 { "" } else { "s" });
            Err(Fault::Row(format!("the row has {count} cell{s}, and the header {columns} (line {line})")))
        }
        Err(error) => Err(Fault::End(error.to_string())),
    })
}

fn record(Row { cells, line }: &Row) -> Result<Record, Fault> {
    let cells: Result<Vec<String>, _> = cells.iter().map(|cell| String::from_utf8(cell.to_vec())).collect();
    let cells = cells.map_err(|_| Fault::Row(format!("the row is not UTF-8 text (line {line})")))?;
    Ok(Record { line: Some(*line), values: Values::Cells(cells) })
}

struct Table {
    reader: Reader<Chain<BufReader<File>, &'static [u8]>>,
    /// Lines that the reader has consumed beyond the current row.
    ahead_by: u64,
    /// One row of lookahead: the last row of the reader is the sentinel.
    next: Option<Result<Row, InvalidTable>>,
}

struct Row {
    cells: ByteRecord,
    line: u64,
}

impl Table {
    fn new(file: File, delimiter: u8) -> Self {
        let mut file = BufReader::new(file);
        // A read error is reported by the read that follows.
        let first = file.fill_buf().unwrap_or_default().split_inclusive(|byte| *byte == b'\n').next();
        // Of `\r
        // ` the reader consumes one character with the row and the other with the next row.
        let has_returns = first.is_some_and(|line| line.ends_with(b"\r\n"));
        let (sentinel, ahead_by) = if has_returns { (SENTINEL, 0) } else { (&SENTINEL[1..], 1) };
        // Rows of another length are reported as invalid instead of ending the table.
        let mut reader = ReaderBuilder::new();
        reader.delimiter(delimiter).flexible(true).has_headers(false);
        Table { reader: reader.from_reader(file.chain(sentinel.as_bytes())), ahead_by, next: None }
    }

    fn read(&mut self) -> Option<Result<Row, InvalidTable>> {
        let mut cells = ByteRecord::new();
        match self.reader.read_byte_record(&mut cells) {
            Ok(true) => {
                let line = self.reader.position().line().saturating_sub(self.ahead_by + line_breaks(cells.as_slice()));
                Some(Ok(Row { cells, line }))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// The error if the last row is not the sentinel.
    fn unclosed(&self, last: &Row) -> Option<InvalidTable> {
        let cell = last.cells.iter().next_back().filter(|cell| *cell != SENTINEL.trim_start().as_bytes())?;
        let line = self.reader.position().line().saturating_sub(line_breaks(cell));
        Some(InvalidTable::UnclosedQuote { line })
    }
}

impl Iterator for Table {
    type Item = Result<Row, InvalidTable>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next.take().or_else(|| self.read())?;
        self.next = self.read();
        match row {
            Ok(last) if self.next.is_none() => self.unclosed(&last).map(Err),
            row => Some(row),
        }
    }
}

fn line_breaks(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}
