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

#[tokio::test]
async fn all_requests_start_before_a_refusal() {
    let limiter = Arc::new(Limiter::default());
    let mut active: Vec<Permit> = (0..100).filter_map(|_| limiter.acquire().now_or_never()?.ok()).collect();
    active.iter_mut().for_each(Permit::answered);
    assert_eq!((active.len(), limiter.state().active), (100, 100));
    drop(active);
    assert_eq!(limiter.state().active, 0);
}

#[tokio::test]
async fn a_refusal_concerns_others_if_there_are_any() {
    let limiter = Arc::new(Limiter::default());
    assert!(!limiter.acquire().await.unwrap().refused("busy"), "no concurrent request");
    let mut active = several(&limiter, 2).await;
    assert!(active.pop().unwrap().refused("busy"), "the other one can be the reason");
    active.pop().unwrap().answered();
    limiter.state().pace = Pace::at_most(1, Instant::now());
    let alone = limiter.acquire().await.unwrap();
    let waiting = limiter.acquire();
    let refused = async { alone.refused("busy") };
    let (_, is_shared) = futures_util::future::join(waiting, refused).await;
    assert!(is_shared, "another one waits, and the server has just answered");
    assert!(!limiter.acquire().await.unwrap().refused("busy"), "none waits");
}

#[tokio::test]
async fn an_ended_request_makes_room_for_the_next() {
    let limiter = Arc::new(Limiter::default());
    limiter.state().pace = Pace::at_most(2, Instant::now());
    let mut active = several(&limiter, 2).await;
    let mut waiting = Box::pin(limiter.acquire());
    assert!(futures_util::poll!(&mut waiting).is_pending());
    active.pop();
    assert!(waiting.now_or_never().is_some());
}

#[tokio::test]
async fn waiting_requests_fail_after_many_refusals() {
    let limiter = Arc::new(Limiter::default());
    let long_ago = |mut permit: Permit| {
        permit.start.at -= Duration::from_secs(70);
        permit
    };
    assert!(!long_ago(limiter.acquire().await.unwrap()).refused("busy"));
    assert!(!limiter.acquire().await.unwrap().refused("busy"));
    let asked = limiter.acquire().await.unwrap();
    let waiting = limiter.acquire();
    let last = async { asked.refused("no more today") };
    let (waited, others) = futures_util::future::join(waiting, last).await;
    assert_eq!(waited.err().map(|given_up| given_up.message).as_deref(), Some("no more today"));
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
    limiter.state().pace = Pace::at_most(1, Instant::now());
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
