//! Serves pages to browsers: who may read them, and how many at once.

mod connections;
mod visitors;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::{Router, middleware};
use tokio::net::TcpListener;

use super::Failure;
use visitors::{Gate, Reach};

pub(super) use connections::{EVENTS, HAND_IN, IN_PLAY, REPORT_EVENTS, most};
pub(super) use visitors::{AUTHOR, ORGANISER};

/// A server that listens.
#[derive(Debug)]
pub(super) struct WebServer {
    listener: TcpListener,
    address: SocketAddr,
    /// Another host under which people reach it.
    host: Option<Arc<str>>,
}

impl WebServer {
    /// Listens on an address. The port 0 is any free one.
    pub(super) async fn listen(on: SocketAddr) -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| {
            let advice = if error.kind() == ErrorKind::AddrInUse {
                "; name another port, or 0 for any free one"
            } else {
                ""
            };
            Failure::system(format!("cannot listen on {on}: {error}{advice}"))
        };
        let listener = TcpListener::bind(on).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        Ok(Self { listener, address, host: None })
    }

    /// The address of the page.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Lets people reach the page under this host, too, which a proxy on this machine may have.
    pub(super) fn known_as(self, host: &str) -> Self {
        Self { host: Some(host.into()), ..self }
    }

    /// Answers requests by these routes forever, at most [`most`] at once.
    pub(super) async fn serve(self, routes: Router) -> Infallible {
        let reach = if self.address.ip().is_loopback() { Reach::Local } else { Reach::Network };
        let gate = Gate { reach, host: self.host };
        let routes = routes.layer(middleware::from_fn_with_state(gate, visitors::admit));
        connections::serve(&self.listener, &routes, most()).await
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
            refused.message.ends_with("; name another port, or 0 for any free one"),
            "{refused}"
        );
    }
}
