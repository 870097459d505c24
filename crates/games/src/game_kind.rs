//! The list of built-in games.

use std::sync::Arc;

use crate::any_game::{AnyGame, SharedGame, Typed};

/// Defines [`GameKind`] from a list, the only place that maps names to games.
macro_rules! games {
    ($($kind:ident in $module:ident,)*) => {
        /// A built-in game, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum GameKind {
            $(#[doc = concat!("The game of the module `", stringify!($module), "`.")] $kind,)*
        }

        impl GameKind {
            /// Every game.
            pub const fn all() -> &'static [Self] {
                &[$(Self::$kind),*]
            }

            /// The game itself.
            pub fn game(self) -> &'static dyn AnyGame {
                match self {
                    $(Self::$kind => &Typed::<crate::$module::$kind>::GAME,)*
                }
            }

            /// The game itself, in the form that owners share.
            pub fn shared(self) -> SharedGame {
                match self {
                    $(Self::$kind => Arc::new(Typed::<crate::$module::$kind>::GAME),)*
                }
            }
        }
    };
}

games! {
    WatchYourBack in watch_your_back,
    Backdraughts in backdraughts,
    BackToTheWall in back_to_the_wall,
    Chess in chess,
}

impl GameKind {
    /// The game called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|kind| kind.name() == name)
    }

    /// The game's name.
    pub fn name(self) -> &'static str {
        self.game().name()
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        self.game().title()
    }
}
