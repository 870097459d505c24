//! Serves pages to browsers: who may read them, and how many at once.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::{Router, middleware};
use tokio::net::TcpListener;

use crate::WebError;
use crate::connections::{max_connections, raise_connection_file_limit, serve_connections};
use crate::visitors::{Reach, VisitorGate, admit_visitor};

/// A server that listens.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    address: SocketAddr,
    /// Another host under which people reach it.
    host: Option<Arc<str>>,
}

impl WebServer {
    /// Listens on an address. The port 0 is any free one.
    ///
    /// # Errors
    /// Nothing can listen there.
    pub async fn listen(on: SocketAddr) -> Result<Self, WebError> {
        raise_connection_file_limit();
        let cannot = |source| WebError::NoAddress { on, source };
        let listener = TcpListener::bind(on).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        Ok(Self { listener, address, host: None })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Lets people reach the page under this host, too, which a proxy on this machine may have.
    #[must_use]
    pub fn known_as(self, host: &str) -> Self {
        Self { host: Some(host.into()), ..self }
    }

    /// Answers requests by these routes forever, as many at once as files may be open, but not
    /// endlessly many.
    pub async fn serve(self, routes: Router) -> Infallible {
        let reach = if self.address.ip().is_loopback() { Reach::Local } else { Reach::Network };
        let gate = VisitorGate { reach, host: self.host };
        let routes = routes.layer(middleware::from_fn_with_state(gate, admit_visitor));
        serve_connections(&self.listener, &routes, max_connections()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_in_use_is_refused_with_advice() {
        let first = WebServer::listen(([127, 0, 0, 1], 0).into()).await.expect("a free port");
        let refused = WebServer::listen(first.address).await.expect_err("it is in use");
        assert!(
            refused.to_string().ends_with("; use another port, or 0 for any free one"),
            "{refused}"
        );
    }
}
