//! Who may enter a league's page. A link carries a secret; only hashes of secrets are kept.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::path::Path;
use std::{fmt, io};

use serde::{Deserialize, Serialize};

use super::author_name::author_problem;
use referee_record::disk;
use referee_record::plain_files::{ReadError, read_plain_text};
use referee_record::seeds::{NoRandomNumbers, draw_random_bytes};
use referee_tournament::name_likeness::are_names_alike;

/// Their file in the results folder.
pub(crate) const INVITATIONS: &str = "invitations.json";
/// The page's address if none was given.
const USUAL_URL: &str = "http://127.0.0.1:8018";
/// The most bytes of the file that are read.
const LARGEST: u64 = 4 << 20;
/// The hexadecimal digits of a secret: 160 bits.
const SECRET: usize = 40;

/// Who came by a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvitedVisitor {
    /// The author of this name.
    Author(String),
    /// The organiser.
    Organiser,
}

/// The secret of a link, and of the cookie of whoever came by it.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkSecret(String);

/// The hash of a secret. Nobody can compute the secret from it, or make up one that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SecretHash(String);

/// Everyone who was invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invitations {
    /// Where people reach the page: a scheme and a host, without a slash at the end.
    url: String,
    #[serde(default)]
    organiser: Option<SecretHash>,
    #[serde(default)]
    authors: BTreeMap<String, SecretHash>,
}

/// The reason why somebody cannot be invited, or invitations cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// The file cannot be read.
    #[error("cannot read {INVITATIONS}: {0}")]
    Unreadable(#[source] ReadError),
    /// It is not what `league invite` writes.
    #[error("{INVITATIONS} is invalid: {0}; remove it, and invite everyone again")]
    Invalid(#[source] serde_json::Error),
    /// It cannot be written.
    #[error("cannot write {INVITATIONS}: {0}")]
    Unwritable(#[source] io::Error),
    /// No secret can be drawn.
    #[error(transparent)]
    Random(#[from] NoRandomNumbers),
    /// This cannot be the name of an author.
    #[error("{name:?} is not a valid author name: {problem}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nobody of this name was invited.
    #[error("no one called {0:?} has been invited")]
    Stranger(String),
    /// People cannot reach a page there.
    #[error(
        "{0:?} is not a valid page address: expected https://HOST or http://HOST, with an optional \
         port"
    )]
    Url(String),
}

impl fmt::Debug for LinkSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkSecret")
    }
}

impl LinkSecret {
    fn draw() -> Result<Self, NoRandomNumbers> {
        let bytes: [u8; 32] = draw_random_bytes()?;
        Ok(Self(blake3::Hash::from_bytes(bytes).to_hex()[..SECRET].to_owned()))
    }

    /// What somebody sent, if a secret looks like that.
    pub fn sent(text: &str) -> Option<Self> {
        let is_one = text.len() == SECRET && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Self(text.to_owned()))
    }

    /// The secret itself: for the cookie only.
    pub fn cookie(&self) -> &str {
        &self.0
    }

    /// What the forms of whoever has this secret carry. Other pages do not know it.
    pub fn form_token(&self) -> String {
        self.derived("referee 2026 league form")
    }

    fn hash(&self) -> SecretHash {
        SecretHash(self.derived("referee 2026 league link"))
    }

    fn derived(&self, context: &str) -> String {
        blake3::Hash::from_bytes(blake3::derive_key(context, self.0.as_bytes()))
            .to_hex()
            .to_string()
    }
}

impl Default for Invitations {
    fn default() -> Self {
        Self { url: USUAL_URL.to_owned(), organiser: None, authors: BTreeMap::new() }
    }
}

impl Invitations {
    /// Reads them from the results folder `dir`. Without a file, nobody is invited.
    pub fn read(dir: &Path) -> Result<Self, InvitationError> {
        let path = dir.join(INVITATIONS);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = read_plain_text(&path, LARGEST).map_err(InvitationError::Unreadable)?;
        serde_json::from_str(&text).map_err(InvitationError::Invalid)
    }

    /// Changes them in the results folder `dir`, in one step, and returns what `change` does. Only the
    /// owner of the folder can read them.
    pub fn change<T, E: From<InvitationError>>(
        dir: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(Self, T), E> {
        let _held = DirBuilder::new()
            .recursive(true)
            .create(dir)
            .and_then(|()| disk::lock_folder(dir))
            .map_err(InvitationError::Unwritable)?;
        let mut all = Self::read(dir)?;
        let changed = change(&mut all)?;
        let text = serde_json::to_vec_pretty(&all).map_err(InvitationError::Invalid)?;
        disk::write_private_atomically(&dir.join(INVITATIONS), |out| out.write_all(&text))
            .map_err(InvitationError::Unwritable)?;
        Ok((all, changed))
    }

    /// Takes over those of the league in the folder `before`, unless there are some in `dir`: links
    /// outlive a change of the rules.
    pub fn take_over(dir: &Path, before: &Path) -> Result<(), InvitationError> {
        if dir.join(INVITATIONS).exists() {
            return Ok(());
        }
        let inherited = Self::read(before)?;
        Self::change(dir, |all| {
            // Another process may have been faster.
            if *all == Self::default() {
                *all = inherited;
            }
            Ok(())
        })
        .map(|_: (Self, ())| ())
    }

    /// Whether people reach the page over an encrypted connection.
    pub fn is_encrypted(&self) -> bool {
        self.url.starts_with("https://")
    }

    /// The host of the page, with its port if it has one.
    pub fn host(&self) -> &str {
        self.url.split_once("://").map_or("", |(_, host)| host)
    }

    /// Sets where people reach the page.
    pub fn set_url(&mut self, url: &str) -> Result<(), InvitationError> {
        let bare = url.strip_suffix('/').unwrap_or(url);
        let host = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        if !host.is_some_and(|host| !host.is_empty() && host.bytes().all(is_plain)) {
            return Err(InvitationError::Url(url.to_owned()));
        }
        bare.clone_into(&mut self.url);
        Ok(())
    }

    /// The names of the authors.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        self.authors.keys().map(String::as_str)
    }

    /// Invites the author called `name`, and returns the link. `None` if it was invited before.
    pub fn invite(&mut self, name: &str) -> Result<Option<String>, InvitationError> {
        if self.authors.contains_key(name) {
            return Ok(None);
        }
        let namesake = self.authors().find(|other| are_names_alike(other, name));
        let problem = author_problem(name).or_else(|| {
            namesake.map(|other| format!("it is too similar to {other:?}, who is already invited"))
        });
        if let Some(problem) = problem {
            return Err(InvitationError::Name { name: name.to_owned(), problem });
        }
        let (secret, link) = self.link()?;
        self.authors.insert(name.to_owned(), secret);
        Ok(Some(link))
    }

    /// Gives an author another link. The one before and its cookies end.
    pub fn renew(&mut self, name: &str) -> Result<String, InvitationError> {
        let (secret, link) = self.link()?;
        match self.authors.get_mut(name) {
            Some(known) => *known = secret,
            None => return Err(InvitationError::Stranger(name.to_owned())),
        }
        Ok(link)
    }

    /// Ends the link of an author.
    pub fn withdraw(&mut self, name: &str) -> Result<(), InvitationError> {
        let gone = self.authors.remove(name);
        gone.map(drop).ok_or_else(|| InvitationError::Stranger(name.to_owned()))
    }

    /// Makes the organiser's link, in place of any before.
    pub fn renew_organiser(&mut self) -> Result<String, InvitationError> {
        let (secret, link) = self.link()?;
        self.organiser = Some(secret);
        Ok(link)
    }

    fn link(&self) -> Result<(SecretHash, String), NoRandomNumbers> {
        let secret = LinkSecret::draw()?;
        Ok((secret.hash(), format!("{}/enter/{}", self.url, secret.0)))
    }

    /// Whose secret it is. Hashes are compared, so that the time it takes says nothing about secrets.
    pub fn find_visitor(&self, secret: &LinkSecret) -> Option<InvitedVisitor> {
        let hash = secret.hash();
        if self.organiser.as_ref() == Some(&hash) {
            return Some(InvitedVisitor::Organiser);
        }
        let author = self.authors.iter().find(|(_, known)| **known == hash);
        author.map(|(name, _)| InvitedVisitor::Author(name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author_name::LONGEST_AUTHOR;

    fn secret(link: &str) -> LinkSecret {
        LinkSecret::sent(link.rsplit('/').next().expect("a link")).expect("a secret")
    }

    #[test]
    fn links_let_in_whom_they_were_made_for_until_they_are_renewed_or_withdrawn() {
        let mut all = Invitations::default();
        all.set_url("https://league.example.org/").expect("an address");
        let ann = all.invite("ann").expect("invited").expect("a link");
        assert!(ann.starts_with("https://league.example.org/enter/"));
        assert_eq!(all.invite("ann").expect("invited before"), None);
        let bob = all.invite("bob").expect("invited").expect("a link");
        let boss = all.renew_organiser().expect("a link");
        assert_eq!(all.find_visitor(&secret(&ann)), Some(InvitedVisitor::Author("ann".to_owned())));
        assert_eq!(all.find_visitor(&secret(&boss)), Some(InvitedVisitor::Organiser));
        let newer = all.renew("ann").expect("a link");
        all.withdraw("bob").expect("withdrawn");
        let boss_now = all.renew_organiser().expect("a link");
        for old in [&ann, &bob, &boss] {
            assert_eq!(all.find_visitor(&secret(old)), None);
        }
        assert!(
            all.find_visitor(&secret(&newer)).is_some()
                && all.find_visitor(&secret(&boss_now)).is_some()
        );
        all.renew("cat").expect_err("nobody");
        all.withdraw("bob").expect_err("nobody any more");
        assert_ne!(secret(&newer).form_token(), secret(&boss_now).form_token());
    }

    #[test]
    fn names_that_look_alike_are_those_of_one_author() {
        let mut all = Invitations::default();
        for name in ["André", "ann", "team 10", "Ptolemy", "Paul"] {
            all.invite(name).expect("invited").expect("a link");
        }
        // Composed of two characters; Cyrillic; full width; a digit for a letter.
        for alike in ["Andre\u{301}", "\u{430}nn", "\u{ff41}nn", "ANN", "team l0", "team  10"] {
            let refused = all.invite(alike).expect_err(alike).to_string();
            assert!(refused.contains("too similar"), "{alike}: {refused}");
        }
        for pseudonym in ["P01", "p7", "Р01", "P\u{ff10}1"] {
            let refused = all.invite(pseudonym).expect_err(pseudonym).to_string();
            assert!(refused.contains("like a pseudonym"), "{pseudonym}: {refused}");
        }
        for other in ["team 11", "Anna", "Andrea", "Pol"] {
            all.invite(other).expect("another name").expect("a link");
        }
    }

    #[test]
    fn the_file_has_no_secret_and_only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a folder");
        let results = dir.path().join("results/cup");
        assert_eq!(Invitations::read(&results).expect("nobody"), Invitations::default());
        let invite = |all: &mut Invitations| {
            Ok::<_, InvitationError>([all.invite("ann")?.expect("a link"), all.renew_organiser()?])
        };
        let (all, links) = Invitations::change(&results, invite).expect("written");
        Invitations::change(&results, |all| all.withdraw("nobody")).expect_err("refused");
        assert_eq!(Invitations::read(&results).expect("read"), all, "nothing was changed");
        let file = results.join(INVITATIONS);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(links.iter().all(|link| !text.contains(secret(link).cookie())));
        let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(format!("{:?}", secret(&links[0])), "LinkSecret");
    }

    #[test]
    fn names_that_mislead_are_refused() {
        let mut all = Invitations::default();
        all.invite("Ann Lee").expect("invited");
        let long = "a".repeat(LONGEST_AUTHOR + 1);
        for bad in [
            "",
            " ",
            ".",
            "..",
            ".git",
            "a/b",
            "a\\b",
            "a\nb",
            "a\0b",
            " ann",
            "ann ",
            "ann v3",
            "a\u{202e}b",
            "ann lee",
            "Ann  Lee",
            "ANN LEE",
            "Organiser",
            &long,
        ] {
            all.invite(bad).expect_err(bad);
        }
        for good in ["Zoë 象棋", "ann", "ann v3 b", "v2", "o'neil", &long[1..]] {
            all.invite(good).expect(good).expect("a link");
        }
        for bad in
            ["", "league.example.org", "https://", "ftp://x", "https://x/league", "https://a b"]
        {
            all.set_url(bad).expect_err(bad);
        }
        all.set_url("http://[::1]:8018").expect("an address");
        assert!(!all.is_encrypted() && all.host() == "[::1]:8018");
    }

    #[test]
    fn only_what_looks_like_a_secret_is_one() {
        for bad in ["", "..", "a", &"g".repeat(SECRET), &"a".repeat(SECRET + 1)] {
            assert_eq!(LinkSecret::sent(bad), None, "{bad}");
        }
    }
}
