//! Types of a conversation with a language model: messages, stream parts, steps and requests.
//!
//! Field names follow the JavaScript names of `prompt.steps` and `prompt.fullSteps` (docs/reference/results.md).

mod base64_runs;
mod cache;
mod json;
mod mend;
mod message;
mod part_log;
mod provider_tool;
mod request;
mod settings_json;
mod shared_text;
mod source;
mod step;
mod step_cache;
mod stream;
mod system_part;
mod tier;
mod tool_input;
mod transcript;

pub use base64_runs::base64_runs;
pub use cache::{CacheOption, CacheTtl, cache_key_of_run};
pub use json::MAX_DEPTH as MAX_JSON_DEPTH;
pub use json::{JsonError, read_json, read_json_with};
pub use mend::{JsonFault, MendedJson, mend_json, mend_json_at_start};
pub use message::{Content, ContentPart, Message, ProviderOptions, Role, ToolOutput, ToolPart};
pub use part_log::PartLog;
pub use provider_tool::{ProviderTool, ProviderToolKind, SearchLocation, WebSearch};
pub use request::{
    CallSettings, MAX_DEFAULT_LIMIT, ModelRequest, OWN_FIELDS, Reasoning, RequestPlace, ResponseFormat, Timeouts,
    ToolChoice, ToolSpec,
};
pub use settings_json::number;
pub use shared_text::SharedText;
pub use source::{Cite, Source, SourceIds, SourceList};
pub use step::{AgentRun, Step, StepOutput, ToolCall, ToolResult};
pub use step_cache::{CacheBreak, CacheBreakKind, StepCache};
pub use stream::{CallWarning, Ending, FinishReason, ResponseMetadata, StreamPart, Usage, token_count, whole_count};
pub use system_part::{SystemPart, SystemPartKind};
pub use tier::{BATCH_TIER, Tier};
pub use tool_input::ToolInput;
pub use transcript::{PromptMessages, Transcript};
