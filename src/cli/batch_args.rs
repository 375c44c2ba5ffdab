//! Options of batches (docs/reference/batches.md). Doc comments of options are help texts.

use std::{num::NonZeroUsize, time::Duration};

use clap::{Args, ValueEnum};

use super::{failure::WrongUsage, pool_args::count};
use lmthing_base::cost::Limits;
use lmthing_map::BatchOptions;

/// How the requests of a map go into batches.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct BatchArgs {
    /// Send requests in batches, which providers answer within a day at half the price; with =first, the next requests of a
    /// row are sent at once
    #[arg(long, value_name = "first", num_args = 0..=1, require_equals = true, hide_possible_values = true, value_enum)]
    batch: Option<Option<BatchedRequests>>,

    /// With --batch: ask how far a batch is every so often, such as 30s; growing from 5 s to 60 s unless given
    #[arg(long, value_name = "TIME", requires = "batch", value_parser = Limits::parse_time)]
    poll: Option<Duration>,

    /// With --batch: put N requests into a batch at most; the limits of the provider hold as well
    #[arg(long, value_name = "N", requires = "batch", value_parser = count::<NonZeroUsize>)]
    batch_size: Option<NonZeroUsize>,

    /// With --batch: end when everything is submitted; the same command again collects what is done
    #[arg(long, requires = "batch")]
    no_wait: bool,
}

/// Which requests go into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BatchedRequests {
    /// Those that each row begins with.
    First,
}

impl BatchArgs {
    pub(super) fn is_given(&self) -> bool {
        self.batch.is_some()
    }

    /// `None` without `--batch`. Fails with options that it cannot be used with.
    pub(super) fn options(&self, has_output: bool, is_remote: bool) -> Result<Option<BatchOptions>, WrongUsage> {
        let Some(batched) = self.batch else { return Ok(None) };
        if is_remote {
            let hint = "without --on, the rows run here, and their requests go into batches";
            return Err(WrongUsage::new("--batch cannot be used with --on", hint));
        }
        if !has_output {
            let hint = "add -o out.jsonl: what is under way is kept next to it";
            return Err(WrongUsage::new("--batch needs -o OUT", hint));
        }
        Ok(Some(BatchOptions {
            asks_next_at_once: batched == Some(BatchedRequests::First),
            poll: self.poll,
            size: self.batch_size,
            waits: !self.no_wait,
        }))
    }
}
