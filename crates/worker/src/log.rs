//! The log of a worker: one line of text or JSON for each record.

use std::{fmt::Write as _, sync::Arc};

use console::Style;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value};

use lmthing_base::diagnostic::escape_invisible;
use lmthing_serve::LineSender;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text { has_colours: bool },
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Info,
    Warn,
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// Writes records with some fields in all of them. Clones share the destination.
#[derive(Clone)]
pub struct Log {
    sender: LineSender,
    format: LogFormat,
    min_level: Level,
    fields: Arc<Map<String, Value>>,
}

impl Log {
    pub fn new(sender: LineSender, format: LogFormat, min_level: Level) -> Self {
        Log { sender, format, min_level, fields: Arc::default() }
    }

    pub fn with(&self, name: &str, value: impl Into<Value>) -> Self {
        let mut fields = Map::clone(&self.fields);
        fields.insert(name.to_owned(), value.into());
        Log { fields: Arc::new(fields), ..self.clone() }
    }

    pub fn info(&self, message: &str, fields: &[(&str, Value)]) {
        self.line(Level::Info, message, fields);
    }

    pub fn warn(&self, message: &str, fields: &[(&str, Value)]) {
        self.line(Level::Warn, message, fields);
    }

    pub fn error(&self, message: &str, fields: &[(&str, Value)]) {
        self.line(Level::Error, message, fields);
    }

    fn line(&self, level: Level, message: &str, fields: &[(&str, Value)]) {
        if level < self.min_level {
            return;
        }
        let mut all = Map::clone(&self.fields);
        all.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        self.sender.send(match self.format {
            LogFormat::Json => json(Timestamp::now(), level, message, all),
            LogFormat::Text { has_colours } => text(Timestamp::now(), level, message, &all, has_colours),
        });
    }
}

fn json(time: Timestamp, level: Level, message: &str, fields: Map<String, Value>) -> String {
    let own = [("time", format!("{time:.3}")), ("level", level.name().to_owned()), ("message", message.to_owned())];
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value)));
    Value::Object(own.chain(fields).collect()).to_string()
}

/// Example: `12:31:07 info  listening  address=http://127.0.0.1:9080`.
fn text(time: Timestamp, level: Level, message: &str, fields: &Map<String, Value>, has_colours: bool) -> String {
    let (dim, mark) = match level {
        _ if !has_colours => (Style::new(), Style::new()),
        Level::Info => (Style::new().dim(), Style::new().dim()),
        Level::Warn => (Style::new().dim(), Style::new().yellow()),
        Level::Error => (Style::new().dim(), Style::new().red()),
    };
    let styled = |style: &Style, text: String| style.clone().force_styling(has_colours).apply_to(text).to_string();
    let time = time.to_zoned(TimeZone::system()).strftime("%T").to_string();
    let mut line = format!("{} {} ", styled(&dim, time), styled(&mark, format!("{:5}", level.name())));
    line.push_str(&in_a_line(message));
    let mut rest = String::new();
    for (name, value) in fields {
        let value = match value {
            Value::String(text) if !text.is_empty() && !text.contains([' ', '"', '=', '\n']) => in_a_line(text),
            value => in_a_line(&value.to_string()),
        };
        // Writing to a `String` cannot fail.
        let _ = write!(rest, " {name}={value}");
    }
    if !rest.is_empty() {
        let _ = write!(line, " {}", styled(&dim, rest));
    }
    line
}

fn in_a_line(text: &str) -> String {
    let lines = text.trim().split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    escape_invisible(&lines.collect::<Vec<_>>().join(" · ").replace('\t', " "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(fields: Value) -> Map<String, Value> {
        fields.as_object().cloned().unwrap()
    }

    #[test]
    fn a_line_for_programs_is_an_object() {
        let time: Timestamp = "2026-11-22T23:30:00.1234Z".parse().unwrap();
        let line = json(time, Level::Warn, "two\nlines", fields(json!({"service": "a", "step": 2})));
        assert_eq!(
            line,
            r#"{"time":"2026-11-22T23:30:00.123Z","level":"warn","message":"two\nlines","service":"a","step":2}"#
        );
    }

    #[test]
    fn a_line_for_people_is_one_line() {
        let line =
            |message, all, has_colours| text(Timestamp::UNIX_EPOCH, Level::Info, message, &fields(all), has_colours);
        let plain =
            line("step ends", json!({"service": "a", "step": 2, "why": "two words", "none": null, "e": ""}), false);
        assert_eq!(&plain[8..], r#" info  step ends  service=a step=2 why="two words" none=null e="""#);
        assert_eq!(
            line("a\n  hint: b\u{1b}[1m\tc\n", json!({}), false)[8..],
            " info  a · hint: b\\u{1b}[1m c".to_owned()
        );
        let args = json!({"args": "{\"to\":\"a\u{202e}b\u{200b}\"}"});
        assert!(line("waits for approval", args, false).ends_with(r#"a\u{202e}b\u{200b}\"}""#), "args");
        assert!(line("listening", json!({"address": "x"}), true).contains("\u{1b}[2m address=x\u{1b}[0m"));
    }

    #[test]
    fn fields_are_added_and_levels_left_out() {
        let (sender, receiver) = LineSender::new();
        let log = Log::new(sender.clone(), LogFormat::Json, Level::Warn).with("service", "a");
        log.info("nothing", &[]);
        log.with("run", "r").error("something", &[("code", json!(5))]);
        sender.end();
        let mut lines = Vec::new();
        receiver.each(|line| lines.push(line.to_owned()));
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert!(line.ends_with(r#""level":"error","message":"something","service":"a","run":"r","code":5}"#), "{line}");
    }
}
