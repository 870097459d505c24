//! The workers of a run. Each is started when it gets its first job.

use std::io;

use super::agenda::Assignment;
use crate::run::worker::Worker;

/// Starts the worker with this number.
pub(super) type Start<'a> = dyn Fn(usize) -> io::Result<Worker> + 'a;

/// The workers, by number.
pub(super) struct Crew<'a> {
    start: &'a Start<'a>,
    posts: Vec<Post>,
}

/// The state of one worker.
enum Post {
    /// Not running: not needed yet, or the last worker here panicked.
    Vacant,
    Idle(Worker),
    Busy(Worker, Assignment),
    /// Not used any more: the machine lacks resources for it.
    Closed,
}

impl<'a> Crew<'a> {
    /// Creates a crew of at most this many workers.
    pub(super) fn new(most: usize, start: &'a Start<'a>) -> Self {
        Self { start, posts: (0..most).map(|_| Post::Vacant).collect() }
    }

    /// The number of the first worker that can take a job.
    pub(super) fn free(&self) -> Option<usize> {
        self.posts.iter().position(|post| matches!(post, Post::Idle(_) | Post::Vacant))
    }

    /// The number of busy workers.
    pub(super) fn busy(&self) -> usize {
        self.posts.iter().filter(|post| matches!(post, Post::Busy(..))).count()
    }

    /// Gives an order to a free worker. Returns the order if the worker cannot be started.
    pub(super) fn give(
        &mut self,
        number: usize,
        order: Assignment,
    ) -> Result<(), (Assignment, io::Error)> {
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

    /// Stops using this worker. Returns how many workers are left.
    pub(super) fn close(&mut self, number: usize) -> usize {
        self.ended(number);
        self.posts[number] = Post::Closed;
        self.posts.iter().filter(|post| !matches!(post, Post::Closed)).count()
    }

    /// Marks the worker as idle after its job. Returns its order, if it had one.
    pub(super) fn done(&mut self, number: usize) -> Option<Assignment> {
        let (slot, order) = self.vacate(number);
        self.posts[number] = slot.map_or(Post::Vacant, Post::Idle);
        order
    }

    /// Removes a worker that ended in the middle of its job. Returns its order, if it had one. A
    /// new worker will take its place.
    pub(super) fn ended(&mut self, number: usize) -> Option<Assignment> {
        let (slot, order) = self.vacate(number);
        slot.into_iter().for_each(Worker::join);
        order
    }

    fn vacate(&mut self, number: usize) -> (Option<Worker>, Option<Assignment>) {
        match std::mem::replace(&mut self.posts[number], Post::Vacant) {
            Post::Vacant | Post::Closed => (None, None),
            Post::Idle(slot) => (Some(slot), None),
            Post::Busy(slot, order) => (Some(slot), Some(order)),
        }
    }

    /// Waits until all workers have ended.
    pub(super) fn join(mut self) {
        for number in 0..self.posts.len() {
            self.ended(number);
        }
    }
}
