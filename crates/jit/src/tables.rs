//! Tables of descriptions, for compiled code to read.

/// Tables of descriptions, in the narrowest elements that hold them; with a zero after the last.
pub enum Elements {
    Bytes(Box<[u8]>),
    Words(Box<[u32]>),
    Doublewords(Box<[u64]>),
}

impl Elements {
    /// Elements with these values.
    pub fn narrowest(values: &[u64]) -> Self {
        let bytes = values.iter().map(|&value| u8::try_from(value).ok()).collect::<Option<_>>();
        let words = || values.iter().map(|&value| u32::try_from(value).ok()).collect::<Option<_>>();
        bytes
            .map(Self::Bytes)
            .or_else(|| words().map(Self::Words))
            .unwrap_or_else(|| Self::Doublewords(values.into()))
    }
}
