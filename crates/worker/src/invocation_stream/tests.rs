use std::time::Duration;

use futures_util::{FutureExt, stream};
use http_body_util::StreamBody;
use tokio::{sync::mpsc, time::timeout};

use super::*;
use crate::cancellation_scanner::tests::{cancellation, message};

type Sender = mpsc::UnboundedSender<Result<Frame<Bytes>, BoxError>>;

fn stream() -> (Sender, InvocationStream) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let frames =
        stream::unfold(receiver, |mut receiver| async { receiver.recv().await.map(|frame| (frame, receiver)) });
    (sender, InvocationStream::new(StreamBody::new(frames)))
}

fn send(sender: &Sender, bytes: impl Into<Bytes>) {
    sender.send(Ok(Frame::data(bytes.into()))).unwrap();
}

fn read(body: &mut InvocationBody) -> Option<Option<Vec<u8>>> {
    let frame = body.frame().now_or_never()?;
    Some(frame.map(|frame| frame.unwrap().into_data().unwrap().to_vec()))
}

#[test]
fn the_sdk_reads_what_comes() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    assert_eq!(read(&mut body), None);
    send(&sender, "one");
    send(&sender, "two");
    assert_eq!(read(&mut body), Some(Some(b"one".to_vec())));
    assert_eq!(read(&mut body), Some(Some(b"two".to_vec())));
    assert_eq!(read(&mut body), None);
    drop(sender);
    assert_eq!(read(&mut body), Some(None));
    assert!(body.is_end_stream());
    assert_eq!(read(&mut body), Some(None));
}

#[test]
fn a_cancellation_is_noticed_and_stays_in_order() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    let before = message(0x8011, b"stored");
    send(&sender, before.clone());
    let cancel = cancellation();
    let (begin, end) = cancel.split_at(5);
    send(&sender, begin.to_vec());
    assert_eq!(stream.cancelled().now_or_never(), None);
    assert!(!stream.is_cancelled());
    send(&sender, end.to_vec());
    send(&sender, "behind");
    assert_eq!(stream.cancelled().now_or_never(), Some(()));
    assert!(stream.is_cancelled());
    for expected in [&before[..], begin, end, b"behind"] {
        assert_eq!(read(&mut body), Some(Some(expected.to_vec())));
    }
    assert_eq!(read(&mut body), None);
    assert_eq!(stream.cancelled().now_or_never(), Some(()));
}

#[test]
fn frames_read_by_the_sdk_are_scanned_too() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    send(&sender, cancellation());
    assert!(read(&mut body).is_some());
    assert!(stream.is_cancelled());
}

#[tokio::test]
async fn both_readers_are_woken() {
    let (sender, stream) = stream();
    let ahead = tokio::spawn({
        let stream = stream.clone();
        async move { stream.cancelled().await }
    });
    tokio::task::yield_now().await;
    let mut body = stream.body();
    let sdk = tokio::spawn(async move {
        let mut count = 0;
        while body.frame().await.is_some() {
            count += 1;
        }
        count
    });
    tokio::task::yield_now().await;
    // A reader that polls once and stops must not keep the others from being woken.
    assert_eq!(stream.cancelled().now_or_never(), None);
    send(&sender, message(0x8011, b"stored"));
    tokio::task::yield_now().await;
    send(&sender, cancellation());
    drop(sender);
    assert_eq!(timeout(Duration::from_secs(5), sdk).await.unwrap().unwrap(), 2);
    timeout(Duration::from_secs(5), ahead).await.unwrap().unwrap();
}

#[test]
fn a_suspension_ends_the_body_once() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    send(&sender, "arrived");
    stream.suspend();
    stream.suspend();
    // A frame that has arrived may be what the SDK waits for.
    assert_eq!(read(&mut body), Some(Some(b"arrived".to_vec())));
    stream.cancel_suspend();
    assert_eq!(read(&mut body), None);
    stream.suspend();
    assert_eq!(read(&mut body), Some(None));
    assert!(!body.is_end_stream());
    // Now the SDK waits until Restate closes its end.
    assert_eq!(read(&mut body), None);
    stream.suspend();
    assert_eq!(read(&mut body), None);
    drop(sender);
    assert_eq!(read(&mut body), Some(None));
}

#[tokio::test]
async fn a_suspension_wakes_the_sdk() {
    let (_sender, stream) = stream();
    let mut body = stream.body();
    let sdk = tokio::spawn(async move { body.frame().await.is_none() });
    tokio::task::yield_now().await;
    stream.suspend();
    assert!(timeout(Duration::from_secs(5), sdk).await.unwrap().unwrap());
}

#[test]
fn an_error_is_passed_to_the_sdk() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    send(&sender, "before");
    sender.send(Err("reset".into())).unwrap();
    assert_eq!(stream.cancelled().now_or_never(), None);
    assert_eq!(read(&mut body), Some(Some(b"before".to_vec())));
    assert!(body.frame().now_or_never().unwrap().unwrap().is_err());
    assert_eq!(read(&mut body), Some(None));
}

#[test]
fn reading_ahead_is_limited() {
    let (sender, stream) = stream();
    let mut body = stream.body();
    let piece = Bytes::from(message(0x8011, &vec![0; MAX_QUEUED / 2]));
    (0..4).for_each(|_| send(&sender, piece.clone()));
    send(&sender, cancellation());
    assert_eq!(stream.cancelled().now_or_never(), None);
    assert!(read(&mut body).is_some() && read(&mut body).is_some());
    assert_eq!(stream.cancelled().now_or_never(), None);
    assert!(read(&mut body).is_some());
    assert_eq!(stream.cancelled().now_or_never(), Some(()));
}
