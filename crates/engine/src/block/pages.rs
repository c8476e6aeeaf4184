//! Copies of pages that hold code.

use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a page.
pub const BYTES: usize = 4096;

/// A page of code, as it was; shared by copies of a cache.
pub type Page = Arc<[u8; BYTES]>;

/// Pages by number. One that was written to between translations is `None`, as is one that cannot be read as a whole.
pub type Pages = HashMap<u64, Option<Page>>;
