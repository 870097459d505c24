//! The connection to the server, and its problems in one sentence each.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr,
    ServerError as Complaint,
};

use super::worker_identity::is_worker_name;

/// How long the server may take for an answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);
/// The maximum number of messages of a subscription that wait here. Further ones are lost, or come
/// again.
const WAITING: usize = 512;
/// How long to wait before asking the server again.
pub(crate) const AGAIN: Duration = Duration::from_secs(1);
/// The oldest versions of the server that have everything that is needed.
const OLDEST: (u32, u32) = (2, 10);

/// A connection to a server. It is made again whenever it breaks.
#[derive(Debug, Clone)]
pub struct NatsServer {
    /// The client.
    pub client: Client,
    /// The client's view of `JetStream`.
    pub(crate) context: Context,
    /// The address without a password.
    pub(crate) address: String,
    /// The last permission that the server denied.
    denied: PermissionError,
}

/// Permission errors arrive asynchronously.
type PermissionError = Arc<Mutex<Option<String>>>;

/// A problem with the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerProblem {
    /// Invalid address.
    #[error("`{0}` is not the address of a NATS server; expected nats://HOST:PORT")]
    Address(String),
    /// A file with credentials or certificates cannot be read.
    #[error("cannot read the credentials: {0}")]
    CredentialsFile(String),
    /// It cannot be reached.
    #[error("cannot reach a NATS server at {address}: {why}; is it running there?")]
    Unreachable {
        /// The address.
        address: String,
        /// The error.
        why: String,
    },
    /// It refuses the credentials.
    #[error(
        "the NATS server at {0} refuses this user or password; set NATS_USER and \
         NATS_PASSWORD, or NATS_CREDS to a credentials file"
    )]
    Credentials(String),
    /// No secure connection is possible.
    #[error(
        "cannot connect securely to the NATS server at {address}: {why}; set NATS_CA to the \
         file with its CA certificate"
    )]
    Tls {
        /// The address.
        address: String,
        /// The error.
        why: String,
    },
    /// It is too old.
    #[error("the NATS server has version {version}, but {}.{} or newer is needed", OLDEST.0, OLDEST.1)]
    TooOld {
        /// The version.
        version: String,
    },
    /// `JetStream` is turned off.
    #[error("JetStream is off on this NATS server: start it with --jetstream")]
    NoJetStream,
    /// The user lacks a permission.
    #[error(
        "cannot {what}: the NATS server denies this user permission ({why}); \
         `referee help many-machines` lists the permissions"
    )]
    Denied {
        /// What could not be done.
        what: String,
        /// The server's words.
        why: String,
    },
    /// The store is full.
    #[error(
        "cannot {0}: the NATS server's store is full; give it more room (max_file_store) or \
         remove old streams. Nothing is lost"
    )]
    Full(String),
    /// It gives no answer.
    #[error("cannot {0}: the NATS server does not respond")]
    Silent(String),
    /// The requested object does not exist.
    #[error("cannot {0}: it does not exist on the NATS server")]
    Missing(String),
    /// Something else.
    #[error("cannot {what}: {why}")]
    Other {
        /// What could not be done.
        what: String,
        /// The error.
        why: String,
    },
}

impl ServerProblem {
    /// Whether trying again may help.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Other { .. } | Self::Unreachable { .. })
    }
}

impl NatsServer {
    /// Connects as `name`, with the credentials of the address or of the environment variables that
    /// the tools of NATS use. Answers come to subjects that begin with `_INBOX_` and the user, or
    /// `role` without one, so the server can keep users from reading each other's.
    ///
    /// # Errors
    /// No connection is possible, or the server is not one that can be used.
    pub async fn connect(address: &str, name: &str, role: &str) -> Result<Self, ServerProblem> {
        let denied = PermissionError::default();
        let shown = server_address_without_password(address);
        let mut options = server_connect_options(name, Arc::clone(&denied)).await?;
        let mut login = env::var("NATS_USER").ok().zip(env::var("NATS_PASSWORD").ok());
        // The client itself does not use those of an address.
        if let Ok(parsed) = address.parse::<ServerAddr>()
            && let (Some(user), Some(password)) = (parsed.username(), parsed.password())
        {
            login = Some((user.to_owned(), password.to_owned()));
        }
        let user = login.as_ref().map(|(user, _)| user.as_str());
        let inbox = user.filter(|user| is_worker_name(user) && !user.contains('.'));
        options = options.custom_inbox_prefix(format!("_INBOX_{}", inbox.unwrap_or(role)));
        if let Some((user, password)) = login {
            options = options.user_and_password(user, password);
        }
        let client =
            options.connect(address).await.map_err(|error| connect_problem(&shown, &error))?;
        let version = client.server_info().version;
        if !is_new_enough(&version) {
            return Err(ServerProblem::TooOld { version });
        }
        let context = jetstream::ContextBuilder::new()
            .timeout(ANSWER)
            .ack_timeout(ANSWER)
            .build(client.clone());
        Ok(Self { client, context, address: shown, denied })
    }

    /// The problem behind an error of a request.
    pub(crate) fn problem(&self, what: &str, error: &dyn Error) -> ServerProblem {
        let denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner).clone();
        classify_server_problem(what, &error_with_sources(error), denied)
    }

    /// The result of a request, with the problem behind its error.
    pub(crate) fn check<T, E: Error>(
        &self,
        what: &str,
        result: Result<T, E>,
    ) -> Result<T, ServerProblem> {
        result.map_err(|error| self.problem(what, &error))
    }

    /// The maximum size of a message in bytes.
    pub(crate) fn max_payload(&self) -> usize {
        self.client.server_info().max_payload
    }
}

async fn server_connect_options(
    name: &str,
    denied: PermissionError,
) -> Result<ConnectOptions, ServerProblem> {
    let mut options = ConnectOptions::new()
        .name(name)
        .connection_timeout(ANSWER)
        .request_timeout(Some(ANSWER))
        .subscription_capacity(WAITING)
        .reconnect_delay_callback(|attempts| {
            Duration::from_millis((attempts as u64 * 100).min(2000))
        })
        .event_callback(move |event| {
            note_denied_permission(&event, &denied);
            async {}
        });
    if let Some(file) = env::var_os("NATS_CREDS") {
        let read = options.credentials_file(PathBuf::from(file)).await;
        options = read.map_err(|error| ServerProblem::CredentialsFile(error.to_string()))?;
    }
    if let Some(file) = env::var_os("NATS_CA") {
        options = options.add_root_certificates(PathBuf::from(file)).require_tls(true);
    }
    Ok(options)
}

/// Keeps the text of a denied permission, for the request that will time out because of it.
fn note_denied_permission(event: &Event, denied: &PermissionError) {
    if let Event::ServerError(Complaint::Other(text)) = event
        && text.to_lowercase().contains("permissions violation")
    {
        *denied.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.clone());
    }
    tracing::debug!(%event, "the connection to the NATS server");
}

fn connect_problem(address: &str, error: &ConnectError) -> ServerProblem {
    let address = address.to_owned();
    let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    match error.kind() {
        ConnectErrorKind::ServerParse => ServerProblem::Address(address),
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            ServerProblem::Credentials(address)
        }
        ConnectErrorKind::Tls => ServerProblem::Tls { address, why },
        // The client reports a certificate that it does not trust as an error of the connection.
        _ if why.contains("certificate") => ServerProblem::Tls { address, why },
        _ => ServerProblem::Unreachable { address, why },
    }
}

/// An error with its sources.
fn error_with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

fn classify_server_problem(what: &str, error: &str, denied: Option<String>) -> ServerProblem {
    let what = what.to_owned();
    let lower = error.to_lowercase();
    let says = |texts: &[&str]| texts.iter().any(|text| lower.contains(text));
    if says(&[
        "insufficient",
        "resources exceeded",
        "limits exceeded",
        "maximum bytes exceeded",
        "no space left",
    ]) {
        return ServerProblem::Full(what);
    }
    if says(&["jetstream not enabled", "requested jetstream resource does not exist"]) {
        return ServerProblem::NoJetStream;
    }
    let is_silent = says(&["timed out", "timeout", "no responders", "heartbeat", "broken pipe"]);
    match denied {
        Some(why) if is_silent => ServerProblem::Denied { what, why },
        _ if is_silent => ServerProblem::Silent(what),
        _ if says(&["not found"]) => ServerProblem::Missing(what),
        _ => ServerProblem::Other { what, why: error.to_owned() },
    }
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) >= OLDEST,
        _ => false,
    }
}

/// The address without user and password.
fn server_address_without_password(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_known_by_their_version() {
        assert!(is_new_enough("2.10.0") && is_new_enough("2.15.1") && is_new_enough("3.0.0-beta"));
        assert!(!is_new_enough("2.9.25") && !is_new_enough("") && !is_new_enough("two"));
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(
            server_address_without_password("nats://me:secret@host:4222"),
            "nats://host:4222"
        );
        assert_eq!(server_address_without_password("nats://host:4222"), "nats://host:4222");
        assert_eq!(server_address_without_password("me:secret@host"), "host");
    }

    #[test]
    fn a_silence_after_a_denial_is_a_denial() {
        let denied = || Some("Permissions Violation for Publish to \"x\"".to_owned());
        let problem =
            |text, denied| classify_server_problem("queue a game", text, denied).to_string();
        assert!(problem("timed out", None).ends_with("the NATS server does not respond"));
        assert!(problem("timed out", denied()).contains("denies this user permission (P"));
        assert!(problem("insufficient storage (code 503)", denied()).contains("is full"));
        assert!(problem("stream not found", None).contains("does not exist"));
    }
}
