//! The matrices over all parameters: sparse or dense, factored by blocks. Nothing here knows of games.

pub(crate) mod blocks;
pub(crate) mod cholesky;
pub(crate) mod curvature;
pub(crate) mod parameter_order;
pub(crate) mod triangle;
