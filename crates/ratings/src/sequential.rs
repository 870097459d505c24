//! Tests that stop as soon as the results are clear: sequential probability ratio tests and bets
//! between two players, in fields and at one table.

pub(crate) mod betting;
pub(crate) mod field_match;
pub(crate) mod field_rounds;
pub(crate) mod place_match;
pub(crate) mod sprt;
pub(crate) mod sprt_match;
pub(crate) mod test_motion;
