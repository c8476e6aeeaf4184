//! Event polls (`epoll`): which open files a process wants to hear of.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use super::object::Description;
use crate::errno::Errno;

/// What a process wants to know of a file.
#[derive(Clone)]
pub struct Interest {
    /// Events asked for.
    pub events: u32,
    /// What the process calls it.
    pub data: u64,
    description: Weak<RefCell<Description>>,
}

/// `EPOLLONESHOT`.
const ONE_SHOT: u32 = 1 << 30;
/// Events that are always reported: `EPOLLERR`, `EPOLLHUP`.
const ALWAYS: u32 = 8 | 16;

/// An event poll.
#[derive(Default)]
pub struct Epoll {
    interests: BTreeMap<i32, Interest>,
}

impl Epoll {
    /// Adds a file.
    ///
    /// # Errors
    /// `EEXIST`.
    pub fn add(
        &mut self,
        number: i32,
        description: &Rc<RefCell<Description>>,
        events: u32,
        data: u64,
    ) -> Result<(), Errno> {
        self.interests.retain(|_, interest| interest.description.strong_count() > 0);
        if self.interests.contains_key(&number) {
            return Err(Errno::EEXIST);
        }
        self.interests.insert(number, Interest { events, data, description: Rc::downgrade(description) });
        Ok(())
    }

    /// Changes what is wanted of a file.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn modify(&mut self, number: i32, events: u32, data: u64) -> Result<(), Errno> {
        let interest = self.interests.get_mut(&number).ok_or(Errno::ENOENT)?;
        (interest.events, interest.data) = (events, data);
        Ok(())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn remove(&mut self, number: i32) -> Result<(), Errno> {
        self.interests.remove(&number).map(drop).ok_or(Errno::ENOENT)
    }

    /// Files of which something wanted can be done now, at most `most`: events and what the process calls
    /// them.
    pub fn ready(&mut self, most: usize) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        for interest in self.interests.values_mut() {
            if found.len() == most {
                break;
            }
            let Some(description) = interest.description.upgrade() else { continue };
            // A poll that watches itself has nothing to say.
            let Ok(description) = description.try_borrow() else { continue };
            let events = description.readiness().0 & (interest.events | ALWAYS);
            if events != 0 && interest.events != 0 {
                found.push((events, interest.data));
                if interest.events & ONE_SHOT != 0 {
                    interest.events = 0;
                }
            }
        }
        found
    }
}
