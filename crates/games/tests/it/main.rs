//! The rules from outside: against slow models, against games worked out by hand, and against
//! their own mirror images.

mod any;
mod back_to_the_wall;
mod backdraughts;
mod symmetry;
mod vectors;
mod watch_your_back;
