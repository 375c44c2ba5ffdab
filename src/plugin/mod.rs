//! The built-in plugins without an engine: the task list and the task graph as pure state machines
//! (docs/reference.md, "Task list" and "Task graph"), and the words of code mode.
//!
//! Owns: the shapes a prompt file and a model exchange about tasks, which changes of state are allowed, the words of every
//! answer, the status sections of the system prompt, and what each tool looks like to a model.
//! Must not know: JavaScript, prompts, the step loop. A transition takes a state and the tool's arguments and gives back a
//! new state and the tool's result; who keeps the state, and when it is shown, is decided by the bindings.
//!
//! Invariants: no transition fails or loses a task. What cannot be done is answered with
//! `{success: false, error, message, …}` and the state given in. Only `generateTaskGraph` replaces tasks, as it says.

pub(crate) mod method;
mod read;
mod refusal;
pub(crate) mod run_tool_code;
pub(crate) mod search_functions;
pub(crate) mod task_graph;
pub(crate) mod task_list;
