//! Programs that try to leave their root.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::script::{HERE, SCRATCH, Script, number};

const SECRET: &[u8] = b"the host's own";

/// A root with a neighbour that must not be reached, and ways that lead there.
struct Prison {
    /// Holds both.
    place: tempfile::TempDir,
}

impl Prison {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().join("root");
        std::fs::create_dir_all(root.join("a/b/c")).expect("folders");
        std::fs::create_dir(place.path().join("outside")).expect("a folder");
        std::fs::write(place.path().join("outside/secret"), SECRET).expect("a file");
        std::fs::write(root.join("a/inside"), "inside").expect("a file");
        let secret = place.path().join("outside/secret");
        let link = |target: &Path, name: &str| symlink(target, root.join(name)).expect("a link");
        link(&secret, "absolute");
        link(Path::new("../outside/secret"), "relative");
        link(Path::new("../outside"), "folder");
        link(Path::new("relative"), "chain");
        link(Path::new("a/b/c/../../../../outside/secret"), "winding");
        link(Path::new("loop"), "loop");
        link(Path::new("/proc/self/root"), "magic");
        link(Path::new("/proc/self/cwd"), "working");
        link(Path::new("../outside/new"), "dangling");
        link(Path::new("inside"), "a/good");
        Self { place }
    }

    fn root(&self) -> std::path::PathBuf {
        self.place.path().join("root")
    }

    /// Everything outside is as it was.
    fn check(&self) {
        let outside = self.place.path().join("outside");
        assert_eq!(std::fs::read(outside.join("secret")).expect("the file"), SECRET);
        assert_eq!(std::fs::read_dir(outside).expect("the folder").count(), 1);
        let mut names: Vec<_> = std::fs::read_dir(self.place.path())
            .expect("the place")
            .map(|entry| entry.expect("one").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["outside", "root"]);
    }

    fn ways_out(&self) -> Vec<String> {
        let place = self.place.path().display();
        let mut ways: Vec<String> = [
            "absolute",
            "relative",
            "folder/secret",
            "chain",
            "winding",
            "loop",
            "working",
            "magic/etc/passwd",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd",
            "/proc/1/root",
            "/proc/self/fd/5000",
            "/proc/self/mem",
            "/proc/self/environ",
            "/dev/fd/5000",
            "/dev/mem",
            "/dev/tty",
            "/dev/sda",
            "/etc/passwd",
            "../outside/secret",
            "/../outside/secret",
            "a/b/c/../../../../outside/secret",
            "a/../../outside/secret",
            "./.././../outside/secret",
            "folder/../outside/secret",
            "a//..//..//outside//secret",
        ]
        .map(str::to_owned)
        .into();
        ways.push(format!("{place}/outside/secret"));
        ways
    }
}

#[test]
fn no_path_leads_out() {
    for writable in [false, true] {
        let prison = Prison::new();
        let mut script = Script::below(&prison.root(), writable);
        let mut calls = Vec::new();
        let buffer = SCRATCH;
        for way in prison.ways_out() {
            let path = script.text(&way);
            for flags in [0, 2, 0o1000 | 1, 0o102, 0o20_0000, 0o200_0000, 0o1000_0000] {
                calls.push((way.clone(), script.call(number::OPENAT, &[HERE, path, flags, 0o600])));
            }
            calls.push((way.clone(), script.call(number::TRUNCATE, &[path, 0])));
            calls.push((way.clone(), script.call(number::CHDIR, &[path])));
            calls.push((way, script.call(number::FSTATAT, &[HERE, path, buffer, 0])));
        }
        let outcome = script.run();
        for (way, call) in calls {
            let result = outcome.results[call];
            // Writable, `..` names a file of the root's own, which may be made there.
            assert!(
                result < 0 || writable && way.contains("outside") && !way.starts_with('f'),
                "{way}: {result}"
            );
        }
        prison.check();
    }
}

#[test]
fn a_good_link_is_followed() {
    let prison = Prison::new();
    let mut script = Script::below(&prison.root(), false);
    let path = script.text("/a/good");
    script.call(number::OPENAT, &[HERE, path, 0, 0]);
    script.call(number::READ, &[3, SCRATCH, 100]);
    script.call(number::OPENAT, &[HERE, path, 0o40_0000, 0]);
    script.call(number::READLINKAT, &[HERE, path, SCRATCH, 3]);
    assert_eq!(script.run().results, [3, 6, -40, 3]);
}

#[test]
fn descriptors_of_directories_are_no_way_out() {
    let prison = Prison::new();
    let mut script = Script::below(&prison.root(), true);
    let [c, up, secret, moved, b, a, empty] =
        ["/a/b/c", "../../../../outside/secret", "secret", "/moved", "/a/b", "/a", ""]
            .map(|path| script.text(path));
    script.call(number::OPENAT, &[HERE, c, 0o20_0000, 0]);
    // Below it, above it, and after it and its parents have gone elsewhere.
    let mut refused = vec![script.call(number::OPENAT, &[3, up, 0, 0])];
    script.call(number::RENAMEAT2, &[HERE, b, HERE, moved, 0]);
    refused.push(script.call(number::OPENAT, &[3, up, 0, 0]));
    script.call(number::FCHDIR, &[3]);
    refused.push(script.call(number::OPENAT, &[HERE, up, 0, 0]));
    script.call(number::RENAMEAT2, &[HERE, moved, HERE, b, 0]);
    script.call(number::OPENAT, &[HERE, a, 0o20_0000, 0]);
    refused.push(script.call(number::OPENAT, &[3, secret, 0, 0]));
    refused.push(script.call(number::OPENAT, &[0, secret, 0, 0]));
    refused.push(script.call(number::OPENAT, &[1000, secret, 0, 0]));
    refused.push(script.call(number::OPENAT, &[3, empty, 0, 0]));
    refused.push(script.call(number::FCHDIR, &[1]));
    let results = script.run().results;
    for call in refused {
        assert!(results[call] < 0, "call {call}: {}", results[call]);
    }
    prison.check();
}

#[test]
fn links_out_can_neither_be_made_nor_used() {
    let prison = Prison::new();
    let mut script = Script::below(&prison.root(), true);
    let outside = format!("{}/outside/secret", prison.place.path().display());
    let mut calls = Vec::new();
    for target in [outside.as_str(), "../outside/secret", "a/../../outside", "a/b/../../.."] {
        let (target, name) = (script.text(target), script.text("link"));
        calls.push(script.call(number::SYMLINKAT, &[target, HERE, name]));
    }
    let (target, name) = (script.text("../../outside/secret"), script.text("a/b/link"));
    calls.push(script.call(number::RENAMEAT2, &[HERE, target, HERE, name, 0]));
    for source in ["folder/secret", "absolute/x", "../outside/secret", "/proc/self/exe"] {
        let (source, name) = (script.text(source), script.text("hard"));
        calls.push(script.call(number::LINKAT, &[HERE, source, HERE, name, 0]));
        calls.push(script.call(number::LINKAT, &[HERE, source, HERE, name, 0x400]));
        calls.push(script.call(number::RENAMEAT2, &[HERE, source, HERE, name, 0]));
    }
    let [through, dangling, inside, into] =
        ["folder/new", "dangling", "a/inside", "folder/moved"].map(|path| script.text(path));
    calls.push(script.call(number::MKDIRAT, &[HERE, through, 0o755]));
    calls.push(script.call(number::OPENAT, &[HERE, through, 0o102, 0o600]));
    calls.push(script.call(number::OPENAT, &[HERE, dangling, 0o102, 0o600]));
    calls.push(script.call(number::RENAMEAT2, &[HERE, inside, HERE, into, 0]));
    calls.push(script.call(number::LINKAT, &[HERE, inside, HERE, into, 0]));
    calls.push(script.call(number::UNLINKAT, &[HERE, into, 0]));
    let within = script.text("../../a/inside");
    let name = script.text("a/b/within");
    let fine = script.call(number::SYMLINKAT, &[within, HERE, name]);
    let results = script.run().results;
    for call in calls {
        assert!(results[call] < 0, "call {call}: {}", results[call]);
    }
    assert_eq!(results[fine], 0);
    prison.check();
}

#[test]
fn a_hard_link_to_a_link_is_one_to_the_link() {
    let prison = Prison::new();
    let mut script = Script::below(&prison.root(), true);
    let (link, name) = (script.text("relative"), script.text("copy"));
    script.call(number::LINKAT, &[HERE, link, HERE, name, 0]);
    let opened = script.call(number::OPENAT, &[HERE, name, 2, 0]);
    assert!(script.run().results[opened] < 0);
    prison.check();
}

#[test]
fn a_named_pipe_of_the_host_is_only_a_name() {
    let prison = Prison::new();
    let pipe = prison.root().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success();
    assert!(made);
    let mut host = std::fs::File::options().read(true).write(true).open(&pipe).expect("the pipe");
    std::io::Write::write_all(&mut host, b"host").expect("room");
    let mut script = Script::below(&prison.root(), true);
    let path = script.text("pipe");
    script.call(number::OPENAT, &[HERE, path, 1 | 0o4000, 0]);
    script.call(number::OPENAT, &[HERE, path, 0o4000, 0]);
    script.call(number::READ, &[3, SCRATCH, 16]);
    script.call(number::OPENAT, &[HERE, path, 1, 0]);
    script.call(number::READ, &[3, SCRATCH, 16]);
    script.call(number::WRITE, &[4, path, 4]);
    script.call(number::READ, &[3, SCRATCH, 16]);
    // No reader, then one that no writer has met; nothing there; the guest's own bytes.
    assert_eq!(script.run().results, [-6, 3, 0, 4, -11, 4, 4]);
}

#[test]
fn neither_devices_nor_sockets_are_files() {
    let prison = Prison::new();
    let _socket = std::os::unix::net::UnixListener::bind(prison.root().join("socket")).expect("a socket");
    let mut script = Script::below(&prison.root(), true);
    let mut calls = Vec::new();
    let path = script.text("socket");
    for flags in [0, 1, 2, 0o4000, 0o1000_0000] {
        calls.push(script.call(number::OPENAT, &[HERE, path, flags, 0]));
    }
    let node = script.text("node");
    calls.push(script.call(number::MKNODAT, &[HERE, node, 0o020_666, 0x0101]));
    let results = script.run().results;
    assert!(calls.iter().all(|&call| results[call] < 0));
    assert!(!prison.root().join("node").exists());
}

#[test]
fn the_kernels_interfaces_are_not_files_even_where_they_can_be_seen() {
    if !Path::new("/proc/self/mem").exists() {
        return;
    }
    let mut script = Script::below(Path::new("/"), false);
    let mut calls = Vec::new();
    for path in
        ["/proc/self/mem", "/proc/self/environ", "/proc/self", "/sys", "/proc/self/root/proc/self/mem"]
    {
        let path = script.text(path);
        calls.push(script.call(number::OPENAT, &[HERE, path, 0, 0]));
    }
    let results = script.run().results;
    assert!(calls.iter().all(|&call| results[call] < 0), "{results:?}");
}

#[test]
fn the_program_learns_nothing_of_where_its_root_is() {
    let prison = Prison::new();
    let mut script = Script::below(&prison.root(), false);
    let exe = script.text("/proc/self/exe");
    script.call(number::READLINKAT, &[HERE, exe, SCRATCH, 200]);
    script.call(number::GETCWD, &[SCRATCH + 256, 200]);
    let scratch = script.run().scratch.expect("scratch");
    assert_eq!(scratch[..8], *b"/script\0");
    assert_eq!(scratch[256..258], *b"/\0");
}
