//! Which names people or file systems may confuse.

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::skeleton;

/// Whether file systems or people may confuse two names.
pub fn are_names_alike(one: &str, other: &str) -> bool {
    name_likeness(one) == name_likeness(other)
}

/// What names have in common that look alike: letters of other scripts, and accents that are
/// letters of their own, are like those that they look like.
pub fn name_likeness(name: &str) -> String {
    let folded: String = name.nfkc().collect::<String>().to_lowercase();
    let plain = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    skeleton(&plain).collect()
}
