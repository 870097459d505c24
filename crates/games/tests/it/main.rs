//! Tests the rules from outside: against slow models, games worked out by hand, and mirror images.

mod any;
mod back_to_the_wall;
mod backdraughts;
mod symmetry;
mod vectors;
mod watch_your_back;
