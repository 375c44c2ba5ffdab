use std::cell::RefCell;

use futures_util::FutureExt;

use super::*;

async fn several(gate: &Arc<Gate>, count: usize) -> Vec<Pass> {
    let mut inside = Vec::new();
    for _ in 0..count {
        inside.push(gate.enter().await.unwrap());
    }
    inside
}

fn limit(gate: &Gate) -> Option<f64> {
    gate.state().limit
}

#[tokio::test]
async fn nothing_is_held_back_without_a_refusal() {
    let gate = Arc::new(Gate::default());
    let mut inside = several(&gate, 100).await;
    inside.iter_mut().for_each(Pass::answered);
    assert_eq!(limit(&gate), None);
}

#[tokio::test]
async fn a_burst_is_lowered_to_what_the_server_took() {
    let gate = Arc::new(Gate::default());
    let mut inside = several(&gate, 30).await;
    for refused in inside.drain(5..) {
        assert!(refused.refused("busy"), "the five that are inside are to blame");
    }
    assert_eq!(limit(&gate), Some(5.0));
    assert!(gate.enter().now_or_never().is_none(), "five are inside");
    inside.pop();
    assert!(gate.enter().now_or_never().is_some());
    inside.clear();
    // Four rounds of five answers make room for a sixth.
    for _ in 0..4 {
        several(&gate, 5).await.iter_mut().for_each(Pass::answered);
    }
    assert!((5.9..6.0).contains(&limit(&gate).unwrap()));
}

#[tokio::test]
async fn refusals_one_after_the_other_lower_the_limit_again() {
    let gate = Arc::new(Gate::default());
    for _ in 0..2 {
        let mut inside = several(&gate, if limit(&gate).is_none() { 8 } else { 4 }).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
        inside.pop().unwrap().refused("busy");
    }
    assert_eq!(limit(&gate), Some(2.0));
    let alone = Arc::new(Gate::default());
    assert!(!alone.enter().await.unwrap().refused("busy"), "nobody else is to blame");
    assert_eq!(limit(&alone), Some(1.0));
}

#[tokio::test]
async fn the_line_is_given_up_when_nobody_is_let_in() {
    let gate = Arc::new(Gate::default());
    let long_ago = |mut pass: Pass| {
        pass.entered -= Duration::from_secs(70);
        pass
    };
    assert!(!long_ago(gate.enter().await.unwrap()).refused("busy"));
    assert!(!gate.enter().await.unwrap().refused("busy"));
    let asked = gate.enter().await.unwrap();
    let waiting = gate.enter();
    let last = async { asked.refused("no more today") };
    let (waited, others) = futures_util::future::join(waiting, last).await;
    assert_eq!(waited.err().as_deref(), Some("no more today"));
    assert!(!others);
    let mut later = gate.enter().await.expect("whoever comes later asks");
    later.answered();
    drop(later);
    for _ in 0..3 {
        assert!(!gate.enter().await.unwrap().refused("busy"), "an answer begins the count anew");
    }
    assert!(gate.enter().await.is_ok());
}

#[tokio::test]
async fn connections_are_used_again_some_time_after_they_were_closed() {
    let gate = Arc::new(Gate::default());
    for _ in 0..MOST_CLOSED {
        gate.note_closed();
    }
    assert!(gate.keeps_connections(), "a server that has answered nothing");
    gate.enter().await.unwrap().answered();
    for _ in 0..2 {
        for _ in 0..MOST_CLOSED {
            assert!(gate.keeps_connections());
            gate.note_closed();
        }
        assert!(!gate.keeps_connections());
        if let Some((_, last)) = &mut gate.state().closed {
            *last -= CLOSED_TIME;
        }
    }
    assert!(gate.keeps_connections());
}

#[tokio::test]
async fn an_announced_pause_is_told_to_the_first_who_waits() {
    let gate = Gate::default();
    gate.announce(Duration::from_secs(1));
    assert_eq!(gate.untold_pause(), None, "short");
    gate.announce(Duration::from_secs(20));
    assert!(gate.untold_pause().is_some_and(|left| left > Duration::from_secs(15)));
    assert_eq!(gate.untold_pause(), None, "told");
    gate.announce(Duration::from_secs(30));
    gate.state().closed_until = Some(Instant::now());
    assert_eq!(gate.untold_pause(), None, "over");
}

#[tokio::test]
async fn a_request_that_rests_is_in_nobodys_way() {
    let gate = Arc::new(Gate::default());
    gate.enter().await.unwrap().refused("busy");
    let mut outer = gate.enter().await.unwrap();
    outer.answered();
    let mut waiting = Box::pin(gate.enter());
    assert!(futures_util::poll!(&mut waiting).is_pending());
    outer.rest();
    // The one in front gets the place, and the other the next.
    let mut inner = Box::pin(gate.enter());
    assert!(futures_util::poll!(&mut inner).is_pending());
    let first = waiting.now_or_never().expect("the place of the one that rests");
    drop(first);
    let inner = inner.now_or_never().expect("nobody else is inside");
    outer.resume();
    assert_eq!(gate.state().inside, 2);
    outer.rest();
    drop((outer, inner));
    assert_eq!(gate.state().inside, 0);
}

#[tokio::test]
async fn a_closed_gate_opens_in_time_and_in_order() {
    let gate = Arc::new(Gate::default());
    assert!(gate.close_for(Duration::from_millis(60)));
    assert!(!gate.close_for(Duration::from_millis(3)));
    let begun = Instant::now();
    let order = RefCell::new(Vec::new());
    let enter = |name: u32| {
        let (gate, order) = (&gate, &order);
        async move {
            let pass = gate.enter().await;
            order.borrow_mut().push(name);
            pass
        }
    };
    // One that gives up holds up nobody.
    assert!(gate.enter().now_or_never().is_none());
    futures_util::future::join_all([enter(1), enter(2), enter(3)]).await;
    assert!(begun.elapsed() >= Duration::from_millis(50));
    assert_eq!(order.into_inner(), [1, 2, 3]);
}
