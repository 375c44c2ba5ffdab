//! A stub until states can be written down.

use rquickjs::{Ctx, Result};

use super::object::PromptObject;
use crate::checkpoint::Memory;

pub(crate) fn memory<'js>(_ctx: &Ctx<'js>, _prompt: &PromptObject<'js>) -> Result<Memory> {
    Ok(Memory::default())
}

pub(crate) fn restore<'js>(_ctx: &Ctx<'js>, _prompt: &PromptObject<'js>, _memory: &Memory) -> Result<()> {
    Ok(())
}
