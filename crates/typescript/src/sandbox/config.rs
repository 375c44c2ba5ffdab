//! `config.sandbox` (docs/reference/code-mode.md).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::code::CheckMode;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// `config.sandbox`: how strictly code is checked, and what one run may use. Every field has a default; unknown
/// fields are rejected, as a misspelt limit would have no effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SandboxConfig {
    /// `'strict'`, `'essential'` or `'off'`.
    pub check: CheckMode,
    /// The limit of the running time in milliseconds, without the time spent waiting for host functions. Default 5
    /// 000.
    pub cpu_ms: u64,
    /// The limit of JavaScript memory in bytes. Default 64 MiB.
    pub memory_bytes: usize,
    /// The limit of the JavaScript stack in bytes. Default 256 KiB.
    pub stack_bytes: usize,
    /// The limit of the result, and of the arguments of one host call, in bytes of JSON. Default 1 MiB.
    pub result_bytes: usize,
    /// The limit of console output in bytes. Default 64 KiB.
    pub console_bytes: usize,
    /// The limit of calls of host functions. Default 10 000.
    pub host_calls: u32,
    /// The limit of the time for syntax, type check and preparation in milliseconds. Default 2 000.
    pub check_ms: u64,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            check: CheckMode::Strict,
            cpu_ms: 5_000,
            memory_bytes: 64 * MIB,
            stack_bytes: 256 * KIB,
            result_bytes: MIB,
            console_bytes: 64 * KIB,
            host_calls: 10_000,
            check_ms: 2_000,
        }
    }
}

/// A field of `config.sandbox` is too small or too large.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("config.sandbox.{name} is {value}; it must be between {least} and {most}")]
pub struct OutOfRange {
    name: &'static str,
    value: u64,
    least: u64,
    most: u64,
}

impl SandboxConfig {
    pub const FIELDS: [&str; 8] =
        ["check", "cpuMs", "memoryBytes", "stackBytes", "resultBytes", "consoleBytes", "hostCalls", "checkMs"];

    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let ranges: [(&str, u64, u64, u64); 7] = [
            ("cpuMs", self.cpu_ms, 1, 3_600_000),
            ("memoryBytes", self.memory_bytes as u64, MIB as u64, 2048 * MIB as u64),
            ("stackBytes", self.stack_bytes as u64, 32 * KIB as u64, 16 * MIB as u64),
            ("resultBytes", self.result_bytes as u64, 1, 64 * MIB as u64),
            ("consoleBytes", self.console_bytes as u64, 0, 64 * MIB as u64),
            ("hostCalls", u64::from(self.host_calls), 0, 10_000_000),
            ("checkMs", self.check_ms, 1, 600_000),
        ];
        for (name, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return Err(OutOfRange { name, value, least, most });
            }
        }
        Ok(())
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            cpu_ms: self.cpu_ms,
            memory_bytes: self.memory_bytes,
            stack_bytes: self.stack_bytes,
            result_bytes: self.result_bytes,
            console_bytes: self.console_bytes,
            host_calls: self.host_calls,
        }
    }

    pub(super) fn check_time(&self) -> Duration {
        Duration::from_millis(self.check_ms)
    }
}

/// The limits that the worker enforces, sent with each run. See [`SandboxConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Limits {
    pub cpu_ms: u64,
    pub memory_bytes: usize,
    pub stack_bytes: usize,
    pub result_bytes: usize,
    pub console_bytes: usize,
    pub host_calls: u32,
}

impl Limits {
    pub(super) fn out_of_time(&self) -> String {
        format!(
            "The code ran longer than {} ms without finishing (time spent waiting for functions does not count). Is there \
             an endless loop?",
            self.cpu_ms
        )
    }

    pub(super) fn cpu_time(&self) -> Duration {
        Duration::from_millis(self.cpu_ms)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_field_names_are_complete() {
        let fields = serde_json::to_value(SandboxConfig::default()).unwrap();
        let fields: Vec<&String> = fields.as_object().unwrap().keys().collect();
        let mut named = SandboxConfig::FIELDS;
        named.sort_unstable();
        let mut fields: Vec<&str> = fields.into_iter().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, named);
    }

    #[test]
    fn misspelt_and_invalid_settings_are_rejected() {
        let config: SandboxConfig = serde_json::from_value(json!({"check": "essential", "cpuMs": 100})).unwrap();
        assert_eq!((config.check, config.cpu_ms, config.memory_bytes), (CheckMode::Essential, 100, 64 * MIB));
        assert!(serde_json::from_value::<SandboxConfig>(json!({"cpu": 100})).is_err());
        assert!(serde_json::from_value::<SandboxConfig>(json!({"check": "loose"})).is_err());
        let none = SandboxConfig { memory_bytes: 0, ..SandboxConfig::default() };
        assert!(none.validate().unwrap_err().to_string().contains("config.sandbox.memoryBytes"));
    }
}
