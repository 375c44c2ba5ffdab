//! CSV and TSV, as RFC 4180 and spreadsheets have it. Must not know what columns mean.

use std::fs::File;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::record::{Fault, Record};

/// The names of the columns.
///
/// # Errors
/// There are none, or two are alike.
pub(super) fn header(file: File, delimiter: u8) -> Result<Vec<String>, String> {
    let mut reader = reader(file, delimiter);
    let names = reader.byte_headers().map_err(|error| format!("cannot read the header: {error}"))?;
    let names: Result<Vec<String>, _> = names.iter().map(|name| String::from_utf8(name.to_vec())).collect();
    let names = names.map_err(|_| "the header is not UTF-8 text".to_owned())?;
    let names: Vec<String> = names.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_owned()).collect();
    if names.iter().all(String::is_empty) {
        return Err("there is no header: the first line names the columns".to_owned());
    }
    for (index, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..index].contains(name) {
            return Err(format!("the column {name} is there twice"));
        }
    }
    Ok(names)
}

/// The rows behind the header, each of which has so many cells.
pub(super) fn records(file: File, delimiter: u8, columns: usize) -> impl Iterator<Item = Result<Record, Fault>> {
    reader(file, delimiter).into_byte_records().map(move |record| match record {
        Ok(record) if record.len() == columns => cells(&record),
        Ok(record) => {
            let line = record.position().map(|place| format!(" (line {})", place.line())).unwrap_or_default();
            let (count, s) = (record.len(), if record.len() == 1 { "" } else { "s" });
            Err(Fault::Row(format!("the row has {count} cell{s}, and the header {columns}{line}")))
        }
        Err(error) => Err(Fault::End(error.to_string())),
    })
}

fn cells(record: &ByteRecord) -> Result<Record, Fault> {
    let cells: Result<Vec<String>, _> = record.iter().map(|cell| String::from_utf8(cell.to_vec())).collect();
    cells.map(Record::Cells).map_err(|_| Fault::Row("the row is not UTF-8 text".to_owned()))
}

fn reader(file: File, delimiter: u8) -> Reader<File> {
    // Rows of another length are wrong by themselves, and not the end of everything.
    ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(file)
}
