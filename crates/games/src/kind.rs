//! The list of the games.

use crate::any::{AnyGame, Typed};

/// Makes [`GameKind`] of a list: the one place where a name becomes a game.
macro_rules! games {
    ($($kind:ident in $module:ident,)*) => {
        /// The games, by name.
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
        }
    };
}

games! {
    WatchYourBack in watch_your_back,
    Backdraughts in backdraughts,
    BackToTheWall in back_to_the_wall,
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

    /// The name as people write it.
    pub fn title(self) -> &'static str {
        self.game().title()
    }
}
