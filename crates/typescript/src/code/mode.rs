//! How strictly model-written code is checked.

use serde::{Deserialize, Serialize};

/// `config.sandbox.check`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckMode {
    /// Every error of the TypeScript compiler prevents the run.
    #[default]
    Strict,
    /// Only syntax errors, unknown names, wrong arguments and missing or excess properties prevent the run; other
    /// errors become warnings.
    Essential,
    Off,
}

const UNKNOWN_NAMES: [u32; 12] = [2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2663];
/// Calls that do not match the function.
const WRONG_ARGUMENTS: [u32; 6] = [2345, 2379, 2554, 2555, 2556, 2769];
const WRONG_PROPERTIES: [u32; 10] = [2339, 2353, 2550, 2551, 2559, 2561, 2568, 2739, 2740, 2741];
/// A value of the wrong type: essential only inside the arguments of a call.
const NOT_ASSIGNABLE: u32 = 2322;

impl CheckMode {
    /// Whether TypeScript's error `code` prevents the run; `in_arguments` says whether it is inside the arguments of
    /// a call.
    pub fn prevents_run(self, code: u32, in_arguments: bool) -> bool {
        match self {
            Self::Strict => true,
            Self::Off => false,
            Self::Essential => {
                (1000..2000).contains(&code)
                    || UNKNOWN_NAMES.contains(&code)
                    || WRONG_ARGUMENTS.contains(&code)
                    || WRONG_PROPERTIES.contains(&code)
                    || (code == NOT_ASSIGNABLE && in_arguments)
            }
        }
    }
}
