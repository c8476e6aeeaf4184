//! Files and directories below a root.

use isa::Xlen;

use crate::script::{HERE, SCRATCH, Script, number};

const RDWR_CREATE: u64 = 0o102;
const EROFS: i64 = -30;
const ENOENT: i64 = -2;

fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    std::fs::write(root.path().join("file"), "0123456789").expect("a file");
    std::fs::create_dir(root.path().join("folder")).expect("a folder");
    std::fs::write(root.path().join("folder/inner"), "inner").expect("a file");
    root
}

#[test]
fn reads_writes_and_seeks() {
    let root = root();
    let mut script = Script::below(root.path(), true);
    let (file, text) = (script.text("/file"), script.text("abc"));
    script.call(number::OPENAT, &[HERE, file, 2, 0]);
    script.call(number::LSEEK, &[3, 4, 0]);
    script.call(number::WRITE, &[3, text, 3]);
    script.call(number::LSEEK, &[3, -2i64 as u64, 2]);
    script.call(number::READ, &[3, SCRATCH, 100]);
    script.call(number::PREAD64, &[3, SCRATCH + 8, 5, 3]);
    script.call(number::PWRITE64, &[3, text, 1, 9]);
    script.call(number::FTRUNCATE, &[3, 12]);
    script.call(number::LSEEK, &[3, -1i64 as u64, 0]);
    let outcome = script.run();
    assert_eq!(outcome.results, [3, 4, 3, 8, 2, 5, 1, 0, -22]);
    assert_eq!(outcome.scratch.expect("scratch")[..16], *b"89\0\0\0\0\0\x003abc7\0\0\0");
    assert_eq!(std::fs::read(root.path().join("file")).expect("the file"), b"0123abc78a\0\0");
}

#[test]
fn offsets_of_32_bit_programs_come_in_halves() {
    let root = root();
    let mut script = Script { xlen: Xlen::Rv32, ..Script::below(root.path(), true) };
    let (file, text) = (script.text("file"), script.text("abc"));
    script.call(number::OPENAT, &[HERE, file, 2, 0]);
    script.call(number::PREAD64, &[3, SCRATCH, 3, 4, 0]);
    script.call(number::PREAD64, &[3, SCRATCH, 3, 4, 1]);
    script.call(number::PWRITE64, &[3, text, 3, 8, 0]);
    script.call(number::LSEEK, &[3, 0, 2, SCRATCH + 16, 1]);
    script.call(number::FTRUNCATE, &[3, 6, 0]);
    script.call(number::TRUNCATE, &[file, 5, 0]);
    let outcome = script.run();
    assert_eq!(outcome.results, [3, 3, 0, 3, 0, 0, 0]);
    assert_eq!(outcome.word(SCRATCH + 16), 2);
    assert_eq!(std::fs::read(root.path().join("file")).expect("the file"), b"01234");
}

#[test]
fn makes_renames_and_removes() {
    let root = root();
    let mut script = Script::below(root.path(), true);
    let [folder, new, other, inner, nested] =
        ["folder", "new", "other", "inner", "new/nested"].map(|path| script.text(path));
    script.call(number::MKDIRAT, &[HERE, new, 0o755]);
    script.call(number::MKDIRAT, &[HERE, new, 0o755]);
    script.call(number::OPENAT, &[HERE, nested, RDWR_CREATE, 0o600]);
    script.call(number::UNLINKAT, &[HERE, new, 0x200]);
    script.call(number::RENAMEAT2, &[HERE, nested, HERE, other, 0]);
    script.call(number::UNLINKAT, &[HERE, new, 0x200]);
    script.call(number::CHDIR, &[folder]);
    script.call(number::UNLINKAT, &[HERE, inner, 0]);
    script.call(number::GETCWD, &[SCRATCH, 100]);
    let outcome = script.run();
    assert_eq!(outcome.results, [0, -17, 3, -39, 0, 0, 0, 0, 8]);
    assert_eq!(outcome.scratch.expect("scratch")[..8], *b"/folder\0");
    let mut names: Vec<_> = std::fs::read_dir(root.path())
        .expect("the root")
        .map(|entry| entry.expect("one").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["file", "folder", "other"]);
}

#[test]
fn creates_what_it_may_only_read() {
    let root = root();
    let mut script = Script::below(root.path(), true);
    let path = script.text("made");
    script.call(number::OPENAT, &[HERE, path, 0o100, 0o600]);
    script.call(number::WRITE, &[3, SCRATCH, 1]);
    script.call(number::OPENAT, &[HERE, path, 0o300, 0o600]);
    assert_eq!(script.run().results, [3, -9, -17]);
    assert_eq!(std::fs::read(root.path().join("made")).expect("the file"), b"");
}

#[test]
fn rights_are_set_but_those_to_become_somebody_else() {
    use std::os::unix::fs::PermissionsExt;
    let root = root();
    let mode = |name: &str| {
        let known = std::fs::metadata(root.path().join(name)).expect("the file");
        known.permissions().mode() & 0o7777
    };
    for (writable, expected) in [(false, [0o600, 0o600]), (true, [0o755, 0o400])] {
        for name in ["file", "folder/inner"] {
            let rights = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(root.path().join(name), rights).expect("rights");
        }
        let mut script = Script::below(root.path(), writable);
        let (file, inner, none) = (script.text("file"), script.text("folder/inner"), script.text("none"));
        script.call(number::FACCESSAT, &[HERE, file, 1]);
        script.call(number::FCHMODAT, &[HERE, file, 0o4755]);
        script.call(number::FACCESSAT, &[HERE, file, 1]);
        script.call(number::FCHMODAT, &[HERE, none, 0o755]);
        script.call(number::OPENAT, &[HERE, inner, 0]);
        script.call(number::FCHMOD, &[3, 0o400]);
        assert_eq!(script.run().results, [-13, 0, if writable { 0 } else { -13 }, -2, 3, 0]);
        assert_eq!([mode("file"), mode("folder/inner")], expected);
    }
}

#[test]
fn a_file_is_sent_from_where_it_stands_or_from_a_place() {
    let root = root();
    let mut script = Script::below(root.path(), false);
    let (file, place) = (script.text("file"), script.words(&[7]));
    script.call(number::OPENAT, &[HERE, file, 0, 0]);
    script.call(number::SENDFILE, &[1, 3, 0, 4]);
    script.call(number::SENDFILE, &[1, 3, place, 100]);
    script.call(number::SENDFILE, &[1, 3, 0, 100]);
    script.call(number::SENDFILE, &[1, 3, 0, 100]);
    script.call(number::SENDFILE, &[3, 3, 0, 1]);
    script.call(number::SENDFILE, &[1, 0, 0, 1]);
    let outcome = script.run();
    assert_eq!(outcome.results, [3, 4, 3, 6, 0, -22, -22]);
    assert_eq!(outcome.console, b"0123789456789");
    assert_eq!(outcome.word(place), 10);
}

#[test]
fn lists_a_directory_by_name() {
    let root = root();
    let mut script = Script::below(root.path(), false);
    let path = script.text("/");
    script.call(number::OPENAT, &[HERE, path, 0o20_0000, 0]);
    // Too small for one entry, a bad address, then all of them, then the end.
    script.call(number::GETDENTS64, &[3, SCRATCH, 8]);
    script.call(number::GETDENTS64, &[3, 0, 1024]);
    script.call(number::GETDENTS64, &[3, SCRATCH, 1024]);
    script.call(number::GETDENTS64, &[3, SCRATCH + 1024, 1024]);
    let outcome = script.run();
    let listed = outcome.results[3];
    assert_eq!(outcome.results, [3, -22, -14, listed, 0]);
    let bytes = &outcome.scratch.expect("scratch")[..listed as usize];
    let mut names = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = usize::from(u16::from_le_bytes([bytes[at + 16], bytes[at + 17]]));
        let name = &bytes[at + 19..at + length];
        let end = name.iter().position(|&byte| byte == 0).expect("an end");
        names.push((String::from_utf8_lossy(&name[..end]).into_owned(), bytes[at + 18]));
        at += length;
    }
    let named = |name: &str, kind| (name.to_owned(), kind);
    assert_eq!(names, [named(".", 4), named("..", 4), named("file", 8), named("folder", 4)]);
}

#[test]
fn nothing_changes_unless_asked_for() {
    let root = root();
    let mut script = Script::below(root.path(), false);
    let [file, new, folder, inner, target] =
        ["file", "new", "folder", "folder/inner", "file"].map(|path| script.text(path));
    let calls = [
        script.call(number::OPENAT, &[HERE, file, 1, 0]),
        script.call(number::OPENAT, &[HERE, file, 2, 0]),
        script.call(number::OPENAT, &[HERE, file, 0o1000, 0]),
        script.call(number::OPENAT, &[HERE, new, 0o101, 0o600]),
        script.call(number::OPENAT, &[HERE, new, 0o100, 0o600]),
        script.call(number::MKDIRAT, &[HERE, new, 0o755]),
        script.call(number::UNLINKAT, &[HERE, file, 0]),
        script.call(number::UNLINKAT, &[HERE, folder, 0x200]),
        script.call(number::RENAMEAT2, &[HERE, file, HERE, new, 0]),
        script.call(number::LINKAT, &[HERE, file, HERE, new, 0]),
        script.call(number::SYMLINKAT, &[target, HERE, new]),
        script.call(number::TRUNCATE, &[inner, 0]),
    ];
    let opened = script.call(number::OPENAT, &[HERE, file, 0, 0]);
    let write = script.call(number::WRITE, &[3, SCRATCH, 1]);
    let pwrite = script.call(number::PWRITE64, &[3, SCRATCH, 1, 0]);
    let truncate = script.call(number::FTRUNCATE, &[3, 0]);
    let results = script.run().results;
    for call in calls {
        assert_eq!(results[call], EROFS, "call {call}");
    }
    assert_eq!([opened, write, pwrite, truncate].map(|call| results[call]), [3, -9, -9, -22]);
    assert_eq!(std::fs::read(root.path().join("file")).expect("the file"), b"0123456789");
}

#[test]
fn without_a_root_there_are_no_files() {
    let mut script = Script::new();
    for path in ["/", ".", "/etc/passwd", "file"] {
        let path = script.text(path);
        script.call(number::OPENAT, &[HERE, path, 0, 0]);
        script.call(number::FSTATAT, &[HERE, path, SCRATCH, 0]);
    }
    assert_eq!(script.run().results, [ENOENT; 8]);
}

#[test]
fn maps_a_file() {
    let root = root();
    let mut script = Script::below(root.path(), true);
    let file = script.text("file");
    script.call(number::OPENAT, &[HERE, file, 2, 0]);
    script.call(number::MMAP, &[0x1000_0000, 0x1000, 3, 0x12, 3, 0]);
    script.call(number::WRITE, &[1, 0x1000_0000, 12]);
    // Private: what is written stays here.
    script.call(number::GETRANDOM, &[0x1000_0000, 4, 0]);
    // Shared and written to it cannot be.
    script.call(number::MMAP, &[0, 0x1000, 3, 1, 3, 0]);
    script.call(number::MMAP, &[0, 0x1000, 1, 1, 3, 0x1000]);
    let outcome = script.run();
    assert_eq!(outcome.console, b"0123456789\0\0");
    assert_eq!(outcome.results[4], -19);
    assert!(outcome.messages[0].contains("shared and writable"));
    assert!(outcome.results[5] > 0);
    assert_eq!(std::fs::read(root.path().join("file")).expect("the file"), b"0123456789");
}
