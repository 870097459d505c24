//! The slots of a run. Each is started when there is a first job for it.

use std::io;

use super::agenda::Order;
use crate::run::worker::Slot;

/// Starts the slot of a number.
pub(super) type Start<'a> = dyn Fn(usize) -> io::Result<Slot> + 'a;

/// The slots by their numbers.
pub(super) struct Crew<'a> {
    start: &'a Start<'a>,
    posts: Vec<Post>,
}

/// The place of one slot.
enum Post {
    /// No slot is there: none was needed yet, or the last one panicked.
    Vacant,
    Idle(Slot),
    Busy(Slot, Order),
    /// There is to be no slot any more: the machine does not give enough for it.
    Closed,
}

impl<'a> Crew<'a> {
    /// A crew of at most this many slots.
    pub(super) fn new(most: usize, start: &'a Start<'a>) -> Self {
        Self { start, posts: (0..most).map(|_| Post::Vacant).collect() }
    }

    /// The first slot that can take a job.
    pub(super) fn free(&self) -> Option<usize> {
        self.posts.iter().position(|post| matches!(post, Post::Idle(_) | Post::Vacant))
    }

    /// So many are at work.
    pub(super) fn busy(&self) -> usize {
        self.posts.iter().filter(|post| matches!(post, Post::Busy(..))).count()
    }

    /// Gives a free slot an order; gives it back if the slot cannot be started.
    pub(super) fn give(&mut self, number: usize, order: Order) -> Result<(), (Order, io::Error)> {
        let slot = match self.vacate(number) {
            (Some(slot), _) => slot,
            (None, _) => match (self.start)(number) {
                Ok(slot) => slot,
                Err(error) => return Err((order, error)),
            },
        };
        slot.give(order.job.clone());
        self.posts[number] = Post::Busy(slot, order);
        Ok(())
    }

    /// From now on one slot less is used: this one. How many are left.
    pub(super) fn close(&mut self, number: usize) -> usize {
        self.ended(number);
        self.posts[number] = Post::Closed;
        self.posts.iter().filter(|post| !matches!(post, Post::Closed)).count()
    }

    /// The slot has done its job: the order that it had, if any.
    pub(super) fn done(&mut self, number: usize) -> Option<Order> {
        let (slot, order) = self.vacate(number);
        self.posts[number] = slot.map_or(Post::Vacant, Post::Idle);
        order
    }

    /// The slot has ended in the middle of its job: the order that it had, if any. Another slot
    /// will take its place.
    pub(super) fn ended(&mut self, number: usize) -> Option<Order> {
        let (slot, order) = self.vacate(number);
        slot.into_iter().for_each(Slot::join);
        order
    }

    fn vacate(&mut self, number: usize) -> (Option<Slot>, Option<Order>) {
        match std::mem::replace(&mut self.posts[number], Post::Vacant) {
            Post::Vacant | Post::Closed => (None, None),
            Post::Idle(slot) => (Some(slot), None),
            Post::Busy(slot, order) => (Some(slot), Some(order)),
        }
    }

    /// Waits until all have ended.
    pub(super) fn join(mut self) {
        for number in 0..self.posts.len() {
            self.ended(number);
        }
    }
}
