//! Control groups: limits and figures for a process together with all its descendants.
//!
//! A machine has one hierarchy of version 2, several of version 1, or both: version 2 with some
//! controllers and version 1 with the others. Every hierarchy in which the caller may make groups
//! is used for what it can do.
//!
//! The caller makes one [`parent`] group in each, the supervisor makes the [`member`] groups of
//! its process in those and removes them, and the caller [reads](readings) and freezes them.

mod files;
mod hierarchy;
mod member;
mod parent;
mod readings;

pub(crate) use files::GIVEN;
pub(crate) use member::Cgroup;
pub(crate) use parent::ParentCgroups;
pub(crate) use readings::{Cgroups, Counts, CpuFile, Freezer};
