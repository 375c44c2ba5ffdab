use std::cell::RefCell;

use futures_util::FutureExt;

use super::*;

async fn several(limiter: &Arc<Limiter>, count: usize) -> Vec<Permit> {
    let mut active = Vec::new();
    for _ in 0..count {
        active.push(limiter.acquire().await.unwrap());
    }
    active
}

fn limit(limiter: &Limiter) -> Option<f64> {
    limiter.state().limit
}

#[tokio::test]
async fn there_is_no_limit_without_a_refusal() {
    let limiter = Arc::new(Limiter::default());
    let mut active = several(&limiter, 100).await;
    active.iter_mut().for_each(Permit::answered);
    assert_eq!(limit(&limiter), None);
}

#[tokio::test]
async fn a_burst_is_lowered_to_what_the_server_took() {
    let limiter = Arc::new(Limiter::default());
    let mut active = several(&limiter, 30).await;
    for refused in active.drain(5..) {
        assert!(refused.refused("busy"), "the five active requests can be the reason");
    }
    assert_eq!(limit(&limiter), Some(5.0));
    assert!(limiter.acquire().now_or_never().is_none(), "five are active");
    active.pop();
    assert!(limiter.acquire().now_or_never().is_some());
    active.clear();
    // Four rounds of five responses almost raise the limit by one.
    for _ in 0..4 {
        several(&limiter, 5).await.iter_mut().for_each(Permit::answered);
    }
    assert!((5.9..6.0).contains(&limit(&limiter).unwrap()));
}

#[tokio::test]
async fn refusals_one_after_the_other_lower_the_limit_again() {
    let limiter = Arc::new(Limiter::default());
    for _ in 0..2 {
        let mut active = several(&limiter, if limit(&limiter).is_none() { 8 } else { 4 }).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
        active.pop().unwrap().refused("busy");
    }
    assert_eq!(limit(&limiter), Some(2.0));
    let alone = Arc::new(Limiter::default());
    assert!(!alone.acquire().await.unwrap().refused("busy"), "no concurrent request");
    assert_eq!(limit(&alone), Some(1.0));
}

#[tokio::test]
async fn waiting_requests_fail_after_many_refusals() {
    let limiter = Arc::new(Limiter::default());
    let long_ago = |mut permit: Permit| {
        permit.started -= Duration::from_secs(70);
        permit
    };
    assert!(!long_ago(limiter.acquire().await.unwrap()).refused("busy"));
    assert!(!limiter.acquire().await.unwrap().refused("busy"));
    let asked = limiter.acquire().await.unwrap();
    let waiting = limiter.acquire();
    let last = async { asked.refused("no more today") };
    let (waited, others) = futures_util::future::join(waiting, last).await;
    assert_eq!(waited.err().as_deref(), Some("no more today"));
    assert!(!others);
    let mut later = limiter.acquire().await.expect("later requests are sent");
    later.answered();
    drop(later);
    for _ in 0..3 {
        assert!(!limiter.acquire().await.unwrap().refused("busy"), "a response resets the count");
    }
    assert!(limiter.acquire().await.is_ok());
}

#[tokio::test]
async fn connections_are_reused_some_time_after_closes() {
    let limiter = Arc::new(Limiter::default());
    for _ in 0..MAX_CLOSED {
        limiter.count_closed_connection();
    }
    assert!(limiter.may_reuse_connections(), "a server that has answered nothing");
    limiter.acquire().await.unwrap().answered();
    for _ in 0..2 {
        for _ in 0..MAX_CLOSED {
            assert!(limiter.may_reuse_connections());
            limiter.count_closed_connection();
        }
        assert!(!limiter.may_reuse_connections());
        if let Some((_, last)) = &mut limiter.state().closed {
            *last -= NO_REUSE_TIME;
        }
    }
    assert!(limiter.may_reuse_connections());
}

#[tokio::test]
async fn an_announced_pause_is_reported_once() {
    let limiter = Limiter::default();
    limiter.announce_pause(Duration::from_secs(1));
    assert_eq!(limiter.take_unreported_pause(), None, "short");
    limiter.announce_pause(Duration::from_secs(20));
    assert!(limiter.take_unreported_pause().is_some_and(|rest| rest > Duration::from_secs(15)));
    assert_eq!(limiter.take_unreported_pause(), None, "already reported");
    limiter.announce_pause(Duration::from_secs(30));
    limiter.state().paused_until = Some(Instant::now());
    assert_eq!(limiter.take_unreported_pause(), None, "over");
}

#[tokio::test]
async fn a_suspended_permit_does_not_block_others() {
    let limiter = Arc::new(Limiter::default());
    limiter.acquire().await.unwrap().refused("busy");
    let mut outer = limiter.acquire().await.unwrap();
    outer.answered();
    let mut waiting = Box::pin(limiter.acquire());
    assert!(futures_util::poll!(&mut waiting).is_pending());
    outer.suspend();
    let mut inner = Box::pin(limiter.acquire());
    assert!(futures_util::poll!(&mut inner).is_pending());
    let first = waiting.now_or_never().expect("the suspended permit is free");
    drop(first);
    let inner = inner.now_or_never().expect("no other request is active");
    outer.resume();
    assert_eq!(limiter.state().active, 2);
    outer.suspend();
    drop((outer, inner));
    assert_eq!(limiter.state().active, 0);
}

#[tokio::test]
async fn a_pause_ends_in_time_and_requests_start_in_order() {
    let limiter = Arc::new(Limiter::default());
    assert!(limiter.pause_for(Duration::from_millis(60)));
    assert!(!limiter.pause_for(Duration::from_millis(3)));
    let begun = Instant::now();
    let order = RefCell::new(Vec::new());
    let enter = |name: u32| {
        let (limiter, order) = (&limiter, &order);
        async move {
            let permit = limiter.acquire().await;
            order.borrow_mut().push(name);
            permit
        }
    };
    assert!(limiter.acquire().now_or_never().is_none());
    futures_util::future::join_all([enter(1), enter(2), enter(3)]).await;
    assert!(begun.elapsed() >= Duration::from_millis(50));
    assert_eq!(order.into_inner(), [1, 2, 3]);
}
