//! The shadow of guest memory: for each byte its secret bits, for each word how a secret came there. Only pages that ever
//! held a secret have one.

use rustc_hash::FxHashMap;

use crate::trail::Trail;

const PAGE: u64 = 4096;
/// Bytes that share a trail.
const WORD: u64 = 4;

struct Page {
    secret: [u8; PAGE as usize],
    trails: [Trail; (PAGE / WORD) as usize],
}

/// The shadow of a guest's memory.
#[derive(Default)]
pub struct Memory {
    pages: Vec<Page>,
    numbers: FxHashMap<u64, usize>,
    /// The page looked at last: its number in memory, and where it is.
    last: Option<(u64, Option<usize>)>,
}

impl Memory {
    #[inline]
    fn find(&mut self, address: u64) -> Option<usize> {
        let number = address / PAGE;
        match self.last {
            Some((last, found)) if last == number => found,
            _ => {
                let found = self.numbers.get(&number).copied();
                self.last = Some((number, found));
                found
            }
        }
    }

    fn make(&mut self, address: u64) -> usize {
        if let Some(found) = self.find(address) {
            return found;
        }
        let (number, at) = (address / PAGE, self.pages.len());
        self.pages
            .push(Page { secret: [0; PAGE as usize], trails: [Trail::default(); (PAGE / WORD) as usize] });
        self.numbers.insert(number, at);
        self.last = Some((number, Some(at)));
        at
    }

    /// The secret bits of a byte, and how they came there.
    #[inline]
    pub fn byte(&mut self, address: u64) -> (u8, Trail) {
        let Some(page) = self.find(address) else { return (0, Trail::default()) };
        let at = (address % PAGE) as usize;
        let page = &self.pages[page];
        (page.secret[at], page.trails[at / WORD as usize])
    }

    /// Sets the secret bits of a byte.
    #[inline]
    pub fn set_byte(&mut self, address: u64, secret: u8, trail: Trail) {
        let page = match self.find(address) {
            Some(page) => page,
            None if secret == 0 => return,
            None => self.make(address),
        };
        let at = (address % PAGE) as usize;
        let page = &mut self.pages[page];
        page.secret[at] = secret;
        if secret != 0 {
            page.trails[at / WORD as usize] = trail;
        }
    }

    /// Those of up to eight bytes, and the trail of the first that has any.
    #[inline]
    pub fn load(&mut self, address: u64, bytes: u64) -> (u64, Trail) {
        let at = (address % PAGE) as usize;
        if at as u64 + bytes <= PAGE {
            let Some(page) = self.find(address) else { return (0, Trail::default()) };
            let page = &self.pages[page];
            let mut secret = 0;
            let mut trail = Trail::default();
            for (byte, &bits) in page.secret[at..at + bytes as usize].iter().enumerate().rev() {
                secret = secret << 8 | u64::from(bits);
                if bits != 0 {
                    trail = page.trails[(at + byte) / WORD as usize];
                }
            }
            return (secret, trail);
        }
        let mut found = (0, Trail::default());
        for byte in (0..bytes).rev() {
            let (bits, trail) = self.byte(address.wrapping_add(byte));
            found.0 = found.0 << 8 | u64::from(bits);
            if bits != 0 {
                found.1 = trail;
            }
        }
        found
    }

    /// Sets those of up to eight bytes.
    #[inline]
    pub fn store(&mut self, address: u64, bytes: u64, secret: u64, trail: Trail) {
        for byte in 0..bytes {
            self.set_byte(address.wrapping_add(byte), (secret >> (8 * byte)) as u8, trail);
        }
    }
}
