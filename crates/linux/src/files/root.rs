//! The guest's file tree: one directory of the host, out of which no path leads.
//!
//! The work is `cap-std`'s: every path is resolved below an open directory, `..` and symbolic links
//! included. Devices and sockets cannot be opened, and named pipes of the host are only names here.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

use cap_std::ambient_authority;
use cap_std::fs::{
    Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt,
};

use super::directory::{Directory, Listed};
use super::object::Object;
use super::pipe::PipeFile;
use super::status::{Kind, Status};
use super::{flag, synthetic};
use crate::errno::Errno;

/// File systems whose files are the host's kernel's interfaces (`linux/magic.h`): procfs, sysfs, debugfs,
/// tracefs, securityfs, selinuxfs, configfs, cgroup, cgroup2, bpf, efivarfs, devpts, mqueue.
const INTERFACES: [u64; 13] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0xf97c_ff8c,
    0x6265_6570,
    0x0027_e0eb,
    0x6367_7270,
    0xcafe_4a11,
    0xde5e_81e4,
    0x1cd1,
    0x1980_0202,
];

/// Checks that an open file is stored somewhere rather than made up by the host's kernel.
///
/// # Errors
/// `EACCES`.
fn check_storage(file: &impl AsFd) -> Result<(), Errno> {
    #[cfg(target_os = "linux")]
    {
        let kind = rustix::fs::fstatfs(file).map_err(std::io::Error::from)?.f_type;
        // The type of the field differs from host to host.
        if INTERFACES.contains(&(kind as u64 & 0xffff_ffff)) {
            return Err(Errno::EACCES);
        }
    }
    Ok(())
}

/// Rights of owner, group and others. A guest cannot give others, such as that to become another user.
fn permissions(mode: u32) -> Permissions {
    Permissions::from_mode(mode & 0o777)
}

/// A file's name: below the root, or made up by this project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Components below the root, none of them `.` or `..`.
    components: Vec<Vec<u8>>,
    /// The path ended with a slash: it must be a directory.
    wants_directory: bool,
}

impl Place {
    /// The place a path names, from directory `base`.
    ///
    /// # Errors
    /// `ENOENT` for an empty path.
    pub fn new(base: &[u8], path: &[u8]) -> Result<Self, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let mut components: Vec<Vec<u8>> = Vec::new();
        let parts = |text: &[u8]| text.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let base = if path.starts_with(b"/") { Vec::new() } else { parts(base) };
        for part in base.into_iter().chain(parts(path)) {
            match part.as_slice() {
                b"" | b"." => {}
                // The parent of the root is the root.
                b".." => drop(components.pop()),
                _ => components.push(part),
            }
        }
        Ok(Self { components, wants_directory: path.ends_with(b"/") })
    }

    /// Its absolute path in the guest.
    pub fn path(&self) -> Vec<u8> {
        let mut path = Vec::new();
        for component in &self.components {
            path.push(b'/');
            path.extend_from_slice(component);
        }
        if path.is_empty() {
            path.push(b'/');
        }
        path
    }

    fn below_root(&self) -> Vec<u8> {
        if self.components.is_empty() { b".".to_vec() } else { self.components.join(&b'/') }
    }
}

/// The tree.
#[derive(Clone)]
pub struct Root {
    directory: Option<Rc<Dir>>,
    writable: bool,
    /// Absolute path of the working directory in the guest.
    working: Vec<u8>,
    listed: Listed,
}

impl Root {
    /// The tree below a directory of the host; without one, only what is made up.
    ///
    /// # Errors
    /// The host's.
    pub fn new(directory: Option<&Path>, writable: bool) -> std::io::Result<Self> {
        let directory = directory.map(|path| Dir::open_ambient_dir(path, ambient_authority())).transpose()?;
        let directory = directory.map(Rc::new);
        Ok(Self { directory, writable, working: b"/".to_vec(), listed: Listed::default() })
    }

    /// Absolute path of the working directory in the guest.
    pub fn working(&self) -> &[u8] {
        &self.working
    }

    /// True if there is no directory of the host to find files in.
    pub const fn is_bare(&self) -> bool {
        self.directory.is_none()
    }

    fn directory(&self) -> Result<&Dir, Errno> {
        self.directory.as_deref().ok_or(Errno::ENOENT)
    }

    fn writable(&self) -> Result<&Dir, Errno> {
        let directory = self.directory()?;
        if self.writable { Ok(directory) } else { Err(Errno::EROFS) }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As `openat`; `EACCES` for a path that leads out of the root, and for what is neither a file nor a
    /// directory.
    pub fn open(&self, place: &Place, flags: u32, mode: u32) -> Result<Object, Errno> {
        if let Some(object) = synthetic::open(&place.path()) {
            return Ok(object);
        }
        let path = place.below_root();
        let path = Path::new(OsStr::from_bytes(&path));
        let directory = self.directory()?;
        let creates = flags & flag::CREAT != 0;
        let writes = flags & flag::ACCESS != 0 || flags & flag::TRUNC != 0;
        if flags & flag::TMPFILE == flag::TMPFILE {
            return Err(Errno::EOPNOTSUPP);
        }
        let follows = flags & flag::NOFOLLOW == 0;
        match self.metadata(place, follows) {
            Ok(found) => {
                if creates && flags & flag::EXCL != 0 {
                    return Err(Errno::EEXIST);
                }
                match Kind::of(&found) {
                    Kind::Directory if writes || creates => return Err(Errno::EISDIR),
                    Kind::Directory => {
                        let directory = directory.open_dir(path)?;
                        check_storage(&directory)?;
                        return Ok(Object::Directory(Directory::new(
                            directory,
                            place.path(),
                            self.listed.clone(),
                        )));
                    }
                    Kind::Link => return Err(Errno::ELOOP),
                    Kind::Other | Kind::Pipe | Kind::Device => return Err(Errno::EACCES),
                    Kind::File if flags & flag::DIRECTORY != 0 || place.wants_directory => {
                        return Err(Errno::ENOTDIR);
                    }
                    Kind::File if writes && !self.writable => return Err(Errno::EROFS),
                    Kind::File => {}
                }
            }
            Err(Errno::ENOENT) if creates => {
                self.writable()?;
            }
            Err(errno) => return Err(errno),
        }
        let access = flags & flag::ACCESS;
        let mut options = OpenOptions::new();
        options
            .read(access != flag::WRONLY)
            // Creating takes it, on this side; the guest may still not write.
            .write(access != 0 || writes || creates && self.writable)
            .create(creates && self.writable)
            // Should it have become a named pipe in between, opening it must not wait.
            .custom_flags(flag::NONBLOCK as i32)
            .mode(mode & 0o777);
        let file = directory.open_with(path, &options)?;
        check_storage(&file)?;
        if Kind::of(&file.metadata()?) != Kind::File {
            return Err(Errno::EACCES);
        }
        if flags & flag::TRUNC != 0 {
            file.set_len(0)?;
        }
        Ok(Object::Regular(file))
    }

    fn metadata(&self, place: &Place, follows: bool) -> Result<Metadata, Errno> {
        let path = place.below_root();
        let path = Path::new(OsStr::from_bytes(&path));
        let directory = self.directory()?;
        Ok(if follows { directory.metadata(path)? } else { directory.symlink_metadata(path)? })
    }

    /// What is known of a file.
    ///
    /// # Errors
    /// As `fstatat`.
    pub fn status(&self, place: &Place, follows: bool) -> Result<Status, Errno> {
        if let Some(object) = synthetic::open(&place.path()) {
            return object.status();
        }
        Ok(Status::from(&self.metadata(place, follows)?))
    }

    /// Where a symbolic link leads.
    ///
    /// # Errors
    /// As `readlinkat`.
    pub fn read_link(&self, place: &Place) -> Result<Vec<u8>, Errno> {
        let path = place.below_root();
        let target = self.directory()?.read_link_contents(Path::new(OsStr::from_bytes(&path)))?;
        Ok(target.as_os_str().as_bytes().to_vec())
    }

    /// Changes the working directory.
    ///
    /// # Errors
    /// As `chdir`.
    pub fn change_directory(&mut self, place: &Place) -> Result<(), Errno> {
        let is_root = place.components.is_empty();
        if !is_root && self.status(place, true)?.kind != Kind::Directory {
            return Err(Errno::ENOTDIR);
        }
        self.working = place.path();
        Ok(())
    }

    /// Checks that the tree may be changed.
    ///
    /// # Errors
    /// `EROFS`.
    pub fn check_writable(&self) -> Result<(), Errno> {
        self.writable().map(drop)
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// As `mkdirat`; `EROFS` unless the tree may be changed.
    pub fn make_directory(&self, place: &Place) -> Result<(), Errno> {
        let path = place.below_root();
        Ok(self.writable()?.create_dir(Path::new(OsStr::from_bytes(&path)))?)
    }

    /// Makes a named pipe. Its name is a file of the host; what goes through it stays here.
    ///
    /// # Errors
    /// As `mknodat`; `EROFS` unless the tree may be changed; `ENOSYS` where the host cannot.
    pub fn make_pipe(&self, place: &Place, mode: u32) -> Result<(), Errno> {
        let tree = self.writable()?;
        let Some((name, folders)) = place.components.split_last() else { return Err(Errno::EEXIST) };
        let folder = if folders.is_empty() { b".".to_vec() } else { folders.join(&b'/') };
        let folder = tree.open_dir(Path::new(OsStr::from_bytes(&folder)))?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FileType, Mode, mknodat};
            let mode = Mode::from_raw_mode(mode & 0o777);
            Ok(mknodat(&folder, OsStr::from_bytes(name), FileType::Fifo, mode, 0)
                .map_err(std::io::Error::from)?)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (name, folder, mode);
            Err(Errno::ENOSYS)
        }
    }

    /// The named pipe at a place, if one is there.
    pub fn pipe(&self, place: &Place) -> Option<PipeFile> {
        let found = self.metadata(place, true).ok()?;
        (Kind::of(&found) == Kind::Pipe).then(|| PipeFile(found.dev(), found.ino()))
    }

    /// Removes a file, or a directory.
    ///
    /// # Errors
    /// As `unlinkat`; `EROFS` unless the tree may be changed.
    pub fn remove(&self, place: &Place, directory: bool) -> Result<(), Errno> {
        let path = place.below_root();
        let path = Path::new(OsStr::from_bytes(&path));
        let tree = self.writable()?;
        let removed = if directory { tree.remove_dir(path) } else { tree.remove_file(path) };
        Ok(removed?)
    }

    /// Renames a file.
    ///
    /// # Errors
    /// As `renameat`; `EROFS` unless the tree may be changed.
    pub fn rename(&self, from: &Place, to: &Place) -> Result<(), Errno> {
        let (from, to) = (from.below_root(), to.below_root());
        let tree = self.writable()?;
        Ok(tree.rename(Path::new(OsStr::from_bytes(&from)), tree, Path::new(OsStr::from_bytes(&to)))?)
    }

    /// Gives a file another name.
    ///
    /// # Errors
    /// As `linkat`; `EROFS` unless the tree may be changed.
    pub fn link(&self, from: &Place, to: &Place) -> Result<(), Errno> {
        let (from, to) = (from.below_root(), to.below_root());
        let tree = self.writable()?;
        Ok(tree.hard_link(Path::new(OsStr::from_bytes(&from)), tree, Path::new(OsStr::from_bytes(&to)))?)
    }

    /// Makes a symbolic link to a relative path.
    ///
    /// # Errors
    /// As `symlinkat`; `EROFS` unless the tree may be changed; `EPERM` for a target that on the host would
    /// lead out of the root.
    pub fn symbolic_link(&self, target: &[u8], place: &Place) -> Result<(), Errno> {
        let mut depth = place.components.len().saturating_sub(1);
        for part in target.split(|&byte| byte == b'/') {
            depth = match part {
                b"" | b"." => depth,
                b".." => depth.checked_sub(1).ok_or(Errno::EPERM)?,
                _ => depth + 1,
            };
        }
        if target.starts_with(b"/") {
            return Err(Errno::EPERM);
        }
        let path = place.below_root();
        let tree = self.writable()?;
        Ok(tree.symlink(Path::new(OsStr::from_bytes(target)), Path::new(OsStr::from_bytes(&path)))?)
    }

    /// Sets who may do what with a file, which decides whether it can be executed. Where the tree may not be changed,
    /// it stays as it is.
    ///
    /// # Errors
    /// As `fchmodat`.
    pub fn set_permissions(&self, place: &Place, mode: u32) -> Result<(), Errno> {
        if synthetic::open(&place.path()).is_some() {
            return Ok(());
        }
        self.metadata(place, true)?;
        let path = place.below_root();
        match self.writable() {
            Ok(tree) => Ok(tree.set_permissions(Path::new(OsStr::from_bytes(&path)), permissions(mode))?),
            Err(_) => Ok(()),
        }
    }

    /// The same of an open file.
    ///
    /// # Errors
    /// The host's.
    pub fn set_permissions_of(&self, file: &File, mode: u32) -> Result<(), Errno> {
        if self.writable { Ok(file.set_permissions(permissions(mode))?) } else { Ok(()) }
    }

    /// Sets a file's length.
    ///
    /// # Errors
    /// As `truncate`; `EROFS` unless the tree may be changed.
    pub fn set_length(&self, place: &Place, length: u64) -> Result<(), Errno> {
        self.writable()?;
        match self.open(place, flag::WRONLY, 0)? {
            Object::Regular(file) => Ok(file.set_len(length)?),
            _ => Err(Errno::EINVAL),
        }
    }
}
