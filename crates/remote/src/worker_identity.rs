//! Who a worker is: its name, and a secret that proves it to the coordinator.

use std::fmt;

use async_nats::HeaderMap;

use referee_record::seeds::{NoRandomNumbers, draw_random_bytes};

/// A worker, as others know it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorkerId {
    /// The name of its machine, which any worker can choose.
    pub name: String,
    /// The hash of its secret. Only the worker with this secret can have it.
    pub key: String,
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (key {})", self.name, self.key)
    }
}

/// A worker, as it shows itself to the coordinator in each message, and no one else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerIdentity {
    name: String,
    /// Drawn at random when the worker starts.
    secret: String,
}

/// The header with the identity of the worker that sent a message.
const IDENTITY: &str = "Referee-Worker";
/// The length of a secret, in hexadecimal digits.
const SECRET_LENGTH: usize = 32;
/// The maximum length of a worker's name, in bytes.
const LONGEST_NAME: usize = 64;

impl WorkerIdentity {
    /// A new worker of this name.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new(name: &str) -> Result<Self, NoRandomNumbers> {
        let secret = format!("{:032x}", u128::from_le_bytes(draw_random_bytes()?));
        Ok(Self { name: name.to_owned(), secret })
    }

    /// What others may know of it.
    pub fn id(&self) -> WorkerId {
        let hash = blake3::hash(self.secret.as_bytes()).to_hex();
        WorkerId { name: self.name.clone(), key: hash[..16].to_owned() }
    }

    /// The headers of its messages.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(IDENTITY, format!("{} {}", self.name, self.secret));
        headers
    }

    /// The worker that sent a message with these headers, if it says so in a valid form.
    pub(crate) fn sender(headers: Option<&HeaderMap>) -> Option<WorkerId> {
        let (name, secret) = headers?.get(IDENTITY)?.as_str().split_once(' ')?;
        (is_worker_name(name) && secret.len() == SECRET_LENGTH)
            .then(|| Self { name: name.to_owned(), secret: secret.to_owned() }.id())
    }
}

/// Whether `name` can be a worker's name: up to 64 letters, digits, `.`, `_` and `-`.
pub fn is_worker_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_workers_are_plain() {
        assert!(is_worker_name("lab-3.example") && !is_worker_name("") && !is_worker_name("a b"));
        assert!(!is_worker_name(&"x".repeat(65)));
    }
    #[test]
    fn a_worker_is_known_by_its_secret_and_not_by_its_name() {
        let [one, other] = ["ant", "ant"].map(|name| WorkerIdentity::new(name).expect("random"));
        let id = WorkerIdentity::sender(Some(&one.headers())).expect("a worker");
        assert_eq!(id, one.id());
        assert_ne!(id.key, other.id().key);
        assert!(!one.secret.contains(&id.key));
        for text in ["", "ant", "ant short", &format!("a b {}", one.secret)] {
            let mut headers = HeaderMap::new();
            headers.insert(IDENTITY, text);
            assert_eq!(WorkerIdentity::sender(Some(&headers)), None, "{text}");
        }
        assert_eq!(WorkerIdentity::sender(None), None);
    }
}
