//! Error numbers of Linux, as every architecture but a few old ones has them (`asm-generic/errno.h`).

/// An error number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(u16);

macro_rules! errors {
    ($($name:ident $number:literal)*) => {
        impl Errno {
            $(#[allow(missing_docs, reason = "the errors' own names")] pub const $name: Self = Self($number);)*

            /// Its name, if it has one here.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

errors! {
    EPERM 1 ENOENT 2 ESRCH 3 EINTR 4 EIO 5 ENXIO 6 E2BIG 7 ENOEXEC 8 EBADF 9 ECHILD 10 EAGAIN 11 ENOMEM 12 EACCES 13
    EFAULT 14 EBUSY 16 EEXIST 17 EXDEV 18 ENODEV 19 ENOTDIR 20 EISDIR 21 EINVAL 22 ENFILE 23 EMFILE 24
    ENOTTY 25 ETXTBSY 26 EFBIG 27 ENOSPC 28 ESPIPE 29 EROFS 30 EMLINK 31 EPIPE 32 ERANGE 34 EDEADLK 35 ENAMETOOLONG 36
    ENOSYS 38 ENOTEMPTY 39 ELOOP 40 EOVERFLOW 75 ENOTSOCK 88 EOPNOTSUPP 95 EAFNOSUPPORT 97 ETIMEDOUT 110
}

impl Errno {
    /// The number.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// What a system call returns for it.
    pub const fn as_result(self) -> u64 {
        -(self.0 as i64) as u64
    }

    /// The error number in what a system call returned, if it is one.
    pub const fn in_result(value: u64) -> Option<Self> {
        let number = (value as i64).wrapping_neg();
        if number > 0 && number < 4096 { Some(Self(number as u16)) } else { None }
    }
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        match error.raw_os_error().and_then(|number| u16::try_from(number).ok()) {
            Some(number) if number > 0 && number < 4096 => Self(number),
            _ => match error.kind() {
                std::io::ErrorKind::PermissionDenied => Self::EACCES,
                std::io::ErrorKind::NotFound => Self::ENOENT,
                std::io::ErrorKind::InvalidInput => Self::EINVAL,
                _ => Self::EIO,
            },
        }
    }
}
