//! The connections of a run, shared by everything in it.

use std::{cell::RefCell, rc::Rc};

use futures_util::future::join_all;

use super::{
    connection::{Connection, Timeouts},
    environment::McpEnvironment,
    server::Server,
};

pub struct Hub {
    environment: Rc<McpEnvironment>,
    connections: RefCell<Vec<Rc<Connection>>>,
}

impl Hub {
    pub fn new(environment: McpEnvironment) -> Self {
        Hub { environment: Rc::new(environment), connections: RefCell::default() }
    }

    /// Opened on first use. `name` is for messages.
    pub fn connection(&self, name: &str, server: &Server, timeouts: Timeouts) -> Rc<Connection> {
        let mut connections = self.connections.borrow_mut();
        if let Some(known) = connections.iter().find(|known| known.is_to(server, timeouts)) {
            return known.clone();
        }
        let connection = Rc::new(Connection::new(name, server.clone(), timeouts, self.environment.clone()));
        connections.push(connection.clone());
        connection
    }

    pub async fn close(&self) {
        let connections = self.connections.take();
        join_all(connections.iter().map(|connection| connection.close())).await;
    }
}
