//! Control groups: limits and measurements for a process together with all its descendants.
//!
//! A machine has one hierarchy of version 2, several of version 1, or both, with the controllers
//! split between them. The caller uses every hierarchy in which it may create groups.
//!
//! The caller creates one [`parent`] group in each hierarchy. The supervisor creates the member
//! groups of its process in those, and removes them. The caller [reads](process_cgroups) and freezes them.

mod files;
mod group;
mod hierarchy;
mod parent;
mod process_cgroups;

pub(crate) use files::GIVEN;
pub(crate) use group::Cgroup;
pub(crate) use parent::ParentCgroups;
pub(crate) use process_cgroups::{
    Counts, ProcessCgroupCpuFile, ProcessCgroupFreezer, ProcessCgroups,
};
