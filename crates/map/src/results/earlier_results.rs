//! Index of the results of earlier commands, by input. It takes 24 bytes a result.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
};

use serde_json::{Map, Value};

use super::line::{self, with_row};
use crate::hashes::hash_input;
use lmthing_base::input::{is_same_row, take_file_hashes};

#[derive(Debug, Default)]
pub(super) struct EarlierResults {
    files: Vec<File>,
    locations: Vec<ResultLocation>,
    is_sorted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ResultLocation {
    input: u64,
    is_taken: bool,
    file: u16,
    offset: u64,
}

impl EarlierResults {
    /// Indexes one more file. Lines that are no complete result are skipped: a crash may leave half a line.
    pub(super) fn add(&mut self, file: File) -> io::Result<()> {
        let index = u16::try_from(self.files.len()).unwrap_or(u16::MAX);
        let mut reader = BufReader::new(&file);
        let (mut line, mut offset) = (Vec::new(), reader.seek(SeekFrom::Start(0))?);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            let read = str::from_utf8(&line).ok().filter(|line| line.ends_with('\n')).and_then(line::ResultLine::new);
            if let Some(input) = read.filter(line::ResultLine::is_ok).and_then(|read| read.input()) {
                let input = written_hash(input);
                self.locations.push(ResultLocation { input, is_taken: false, file: index, offset });
            }
            offset += length as u64;
        }
        self.files.push(file);
        self.is_sorted = false;
        Ok(())
    }

    /// Takes the first unused result for an input, rewritten as the line of `row`.
    pub(super) fn take(&mut self, row: u64, input: &Map<String, Value>) -> io::Result<Option<String>> {
        if !self.is_sorted {
            self.locations.sort_unstable_by_key(|location| (location.input, location.file, location.offset));
            self.is_sorted = true;
        }
        let wanted = written_hash(input.clone());
        let start = self.locations.partition_point(|location| location.input < wanted);
        for index in start..self.locations.len() {
            let location = self.locations[index];
            if location.input != wanted {
                break;
            }
            if location.is_taken {
                continue;
            }
            let line = self.line(location)?;
            // Two inputs may share a hash, as rows with a changed file do.
            if line::ResultLine::new(&line)
                .and_then(|read| read.input())
                .is_some_and(|known| is_same_row(&known, input))
            {
                self.locations[index].is_taken = true;
                return Ok(Some(with_row(&line, row)));
            }
        }
        Ok(None)
    }

    pub(super) fn are_left(&self) -> bool {
        // The same result may be listed twice if a process was killed while it was being moved.
        let mut sorted = self.locations.clone();
        sorted.sort_unstable_by_key(|location| location.input);
        sorted
            .chunk_by(|one, other| one.input == other.input)
            .any(|same| same.iter().all(|location| !location.is_taken))
    }

    fn line(&self, location: ResultLocation) -> io::Result<String> {
        let Some(mut file) = self.files.get(usize::from(location.file)) else { return Ok(String::new()) };
        file.seek(SeekFrom::Start(location.offset))?;
        let mut line = Vec::new();
        BufReader::with_capacity(1 << 10, file.by_ref()).read_until(b'\n', &mut line)?;
        String::from_utf8(line).map_err(io::Error::other)
    }
}

/// The hash of a row without the hashes of its files.
fn written_hash(mut input: Map<String, Value>) -> u64 {
    take_file_hashes(&mut input);
    hash_input(&input)
}
