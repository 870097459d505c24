//! Tests of the program from outside, one module per subject. Most run the program itself.

#[path = "../support/mod.rs"]
mod support;

mod adding_a_game;
mod adjudication;
mod architecture;
mod back_to_the_wall;
mod backdraughts_bots;
mod backdraughts_commands;
mod bad_neighbours;
mod bad_players;
mod bot_ladder;
mod builds;
mod check_and_ask;
mod chess;
mod commands;
mod compare;
mod control_characters;
mod foreign_games;
mod formats;
mod fuzz;
mod games_of_many;
mod go;
mod gtp_engines;
mod hosted_classes;
mod league;
mod league_door;
mod make_up;
mod many_seats;
mod model_players;
mod openings;
mod rank_from;
mod report;
mod run_and_resume;
mod simultaneous;
mod strangers;
mod submissions;
mod texts;
mod trace_and_perft;
mod tune;
mod uci_engines;
mod until;
mod verify;
