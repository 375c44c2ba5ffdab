//! How many requests go into batches under limits on cost and tokens (docs/reference/batches.md#cost).

use super::{remote::Remote, scheduler::Scheduler, shipments::Stage};
use lmthing_base::cost::{FIRST_REQUESTS, LimitKind, Outlook};
use lmthing_engine::session::CombinedLimits;

impl<R: Remote> Scheduler<R> {
    /// How many requests may go into batches. `is_last` says that no row runs that could add a request.
    pub(super) fn affordable(&mut self, is_last: bool, limits: &CombinedLimits) -> usize {
        if !is_last || !self.pace.gathers_all || !self.has_gathered() {
            return usize::MAX;
        }
        let is_refused = limits.reached().is_some_and(|reached| reached.kind != LimitKind::Steps);
        if is_refused && !self.gathering.has_begun {
            return 0;
        }
        match limits.outlook() {
            Outlook::Fits => {
                self.gathering.has_begun = true;
                usize::MAX
            }
            // Answers that are on their way say what others will use.
            _ if self.awaits_answers() => 0,
            Outlook::Unknown => FIRST_REQUESTS,
            // Of the first requests all are submitted or none.
            Outlook::Above(fitting, _) if self.gathering.has_begun && fitting > self.held() => fitting - self.held(),
            Outlook::Above(_, reached) => {
                limits.end_at(reached);
                0
            }
        }
    }

    fn awaits_answers(&self) -> bool {
        self.flights.values().any(|flight| flight.shipment.stage != Stage::Collected)
    }
}
