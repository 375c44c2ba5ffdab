//! A load balancer for workers: each connection goes to the next one that accepts it.

use std::{
    io,
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Forwards connections to these ports until the process ends; returns its own port.
pub(crate) fn start(workers: &[u16]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (workers, next) = (workers.to_vec(), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for inward in listener.incoming().flatten() {
            let first = next.fetch_add(1, Ordering::Relaxed);
            let ports = (0..workers.len()).map(|place| workers[(first + place) % workers.len()]);
            // Without a worker the connection is closed, and the server retries.
            let Some(outward) = ports.filter_map(|port| TcpStream::connect(("127.0.0.1", port)).ok()).next() else {
                continue;
            };
            let _ = joined(&inward, &outward);
        }
    });
    port
}

/// Copies both directions; the end of one ends both.
fn joined(inward: &TcpStream, outward: &TcpStream) -> io::Result<()> {
    for (from, to) in [(inward, outward), (outward, inward)] {
        let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = (to.shutdown(Shutdown::Both), from.shutdown(Shutdown::Both));
        });
    }
    Ok(())
}
