//! The connections of a run: one for each server, shared by all who name it, ended together. Must not know who they are.

use std::{cell::RefCell, rc::Rc};

use futures_util::future::join_all;

use super::{
    connection::{Connection, Timeouts},
    server::Server,
    surroundings::Surroundings,
};

/// The connections of a run.
pub(crate) struct Hub {
    surroundings: Rc<Surroundings>,
    connections: RefCell<Vec<Rc<Connection>>>,
}

impl Hub {
    /// None yet.
    pub(crate) fn new(surroundings: Surroundings) -> Self {
        Hub { surroundings: Rc::new(surroundings), connections: RefCell::default() }
    }

    /// The connection to a server, which is made when it is first used. `name` stands in messages.
    pub(crate) fn connection(&self, name: &str, server: &Server, timeouts: Timeouts) -> Rc<Connection> {
        let mut connections = self.connections.borrow_mut();
        if let Some(known) = connections.iter().find(|known| known.is_to(server, timeouts)) {
            return known.clone();
        }
        let connection = Rc::new(Connection::new(name, server.clone(), timeouts, self.surroundings.clone()));
        connections.push(connection.clone());
        connection
    }

    /// Ends all connections.
    pub(crate) async fn close(&self) {
        let connections = self.connections.take();
        join_all(connections.iter().map(|connection| connection.close())).await;
    }
}
