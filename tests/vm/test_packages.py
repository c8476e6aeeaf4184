"""Kernels come as packages: from a folder, or by an apt that changes nothing of the machine's."""

from __future__ import annotations

import lzma
import os
import shutil
import stat
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from ciphermark.engines.vm import Vm
from ciphermark.errors import EngineMissingError, UsageError
from ciphermark.vm import kernel, machine, packages
from ciphermark.vm.packages import Package

_ARM = machine.of("aarch64")

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")


def debian_package(folder: Path, release: str, architecture: str = "arm64", modules: tuple[str, ...] = ()) -> Path:
    """A package as Debian's kernels are, of ``release`` and with ``modules`` that need nothing."""
    name = f"linux-image-{release}"
    tree = folder / f"tree-{release}-{architecture}"
    drivers = tree / "lib" / "modules" / release / "kernel" / "crypto"
    for place in (tree / "DEBIAN", tree / "boot", drivers):
        place.mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        f"Package: {name}\nVersion: 1.0-1\nArchitecture: {architecture}\n"
        "Maintainer: nobody <nobody@example.org>\nDescription: a kernel\n"
    )
    (tree / "boot" / f"vmlinuz-{release}").write_bytes(b"image of " + release.encode())
    (drivers.parent.parent / "modules.builtin").write_text("kernel/crypto/cbc.ko\n")
    for module in modules:
        needs = "af_alg" if module == "algif_skcipher" else ""
        (drivers / f"{module}.ko.xz").write_bytes(lzma.compress(f"\0depends={needs}\0name={module}\0".encode()))
    path = folder / f"{name}_1.0-1_{architecture}.deb"
    subprocess.run(("dpkg-deb", "--root-owner-group", "--build", tree, path), check=True, capture_output=True)
    return path


@pytest.fixture
def by_hand(own_cache: Path) -> Path:
    place = packages.folder()
    place.mkdir(parents=True)
    assert own_cache in place.parents
    return place


def test_a_package_put_into_the_folder_is_unpacked(by_hand: Path, tmp_path: Path) -> None:
    modules = ("af_alg", "algif_skcipher", "aes-ce-blk", "unrelated")
    made = debian_package(tmp_path, "6.12.95+deb12-cloud-arm64", modules=modules)
    shutil.copy(made, by_hand)
    found = kernel.get(_ARM)
    assert found.release == "6.12.95+deb12-cloud-arm64"
    assert found.image.read_bytes() == b"image of 6.12.95+deb12-cloud-arm64"
    assert [path.name for path in found.modules] == ["af_alg.ko.xz", "algif_skcipher.ko.xz", "aes-ce-blk.ko.xz"]
    assert not found.troubles
    assert found.described() == "Linux 6.12.95 (Debian linux-image-6.12.95+deb12-cloud-arm64 1.0-1)"


def test_a_kernel_without_a_module_says_so_and_still_serves_the_rest(by_hand: Path, tmp_path: Path) -> None:
    shutil.copy(debian_package(tmp_path, "7.9.1-cloud-arm64", modules=("aes-ce-blk",)), by_hand)
    found = kernel.get(_ARM)
    assert [path.name for path in found.modules] == ["aes-ce-blk.ko.xz"]
    assert found.troubles == ("the kernel has no module algif_skcipher",)


def test_the_newest_is_taken_unless_one_is_named(by_hand: Path, tmp_path: Path) -> None:
    for release in ("6.12.9+deb12-cloud-arm64", "6.12.117+deb12-cloud-arm64", "6.1.0-56-cloud-arm64"):
        shutil.copy(debian_package(tmp_path, release), by_hand)
    shutil.copy(debian_package(tmp_path, "6.99.0-cloud-amd64", "amd64"), by_hand)
    assert packages.find("arm64", None).release == "6.12.117+deb12-cloud-arm64"
    assert packages.find("arm64", "6.1.0").release == "6.1.0-56-cloud-arm64"
    assert packages.find("arm64", "6.12.9").release == "6.12.9+deb12-cloud-arm64"


def test_a_file_that_is_no_package_is_passed_over(by_hand: Path, tmp_path: Path) -> None:
    (by_hand / "linux-image-9.9.9-cloud-arm64_1_arm64.deb").write_bytes(b"half a download")
    shutil.copy(debian_package(tmp_path, "6.12.95+deb12-cloud-arm64"), by_hand)
    assert packages.find("arm64", None).release == "6.12.95+deb12-cloud-arm64"


def test_a_package_that_is_cut_off_is_named(by_hand: Path, tmp_path: Path) -> None:
    made = debian_package(tmp_path, "6.12.95+deb12-cloud-arm64", modules=("af_alg",))
    cut = by_hand / made.name
    cut.write_bytes(made.read_bytes()[:-200])
    with pytest.raises(EngineMissingError, match="has no kernel that can be read"):
        kernel.get(_ARM)


def test_a_release_is_a_prefix_of_whole_numbers() -> None:
    named = [
        Package(f"linux-image-{release}-cloud-arm64", "1", "arm64", None)
        for release in ("6.12.9+deb12", "6.12.95+deb12")
    ]
    found = packages.newest(named, "6.12.9")
    assert found is not None
    assert found.release.startswith("6.12.9+")


def test_apt_gets_the_machines_configuration_and_nothing_of_its_state(tmp_path: Path) -> None:
    text = packages.configuration(tmp_path, "arm64")
    assert 'APT::Architecture "arm64";' in text
    assert "#clear APT::Architectures;" in text
    assert f'Dir::State "{tmp_path}/state/";' in text
    assert f'Dir::State::status "{tmp_path}/status";' in text
    assert f'Dir::Cache "{tmp_path}/cache/";' in text
    assert "#clear APT::Update::Post-Invoke;" in text
    assert 'Acquire::AllowInsecureRepositories "false";' in text
    assert 'APT::Get::AllowUnauthenticated "false";' in text
    assert "Dir::Etc" not in text


def test_apt_reads_it_as_meant(tmp_path: Path) -> None:
    if shutil.which("apt-config") is None:
        pytest.skip("apt is not installed")
    file = tmp_path / "apt.conf"
    file.write_text(packages.configuration(tmp_path, "arm64"))
    said = subprocess.run(("apt-config", "-c", file, "dump"), check=True, capture_output=True, text=True).stdout
    assert 'APT::Architectures:: "arm64";' in said
    assert said.count("APT::Architectures::") == 1
    assert "APT::Update::Post-Invoke::" not in said


@pytest.mark.parametrize("sign", ['"', ";", "\n", "\\"])
def test_a_folder_that_apt_could_misread_is_refused(sign: str) -> None:
    with pytest.raises(UsageError, match="apt cannot use the folder"):
        packages.configuration(Path(f"/somewhere{sign}else"), "arm64")


@pytest.fixture
def apt(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder before all others on PATH, for programs that stand for apt's."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    assert own_cache
    return place


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_offline_without_lists_it_says_what_to_put_where(apt: Path) -> None:
    program(apt, "apt-get", "echo 'W: Failed to fetch http://mirror/InRelease  Could not resolve' >&2")
    program(apt, "apt-cache", "true")
    with pytest.raises(EngineMissingError) as caught:
        packages.find("arm64", None)
    assert "no package linux-image-*-cloud-arm64" in caught.value.message
    assert "Could not resolve" in caught.value.hint
    assert str(packages.folder()) in caught.value.hint


def test_a_release_nobody_has_is_answered_with_those_there_are(apt: Path) -> None:
    program(apt, "apt-get", "true")
    program(apt, "apt-cache", "echo linux-image-6.12.95+deb12-cloud-arm64; echo linux-image-6.12-cloud-arm64")
    with pytest.raises(UsageError) as caught:
        packages.find("arm64", "5.10")
    assert "linux-image-5.10*-cloud-arm64" in caught.value.message
    assert "6.12.95+deb12-cloud-arm64" in caught.value.hint


def test_a_download_that_fails_speaks_in_apts_words(apt: Path, tmp_path: Path) -> None:
    program(apt, "apt-get", "echo 'E: Failed to fetch x.deb  404  Not Found' >&2; exit 100")
    wanted = Package("linux-image-6.12.95+deb12-cloud-arm64", "6.12.95-1", "arm64", None)
    with pytest.raises(EngineMissingError, match="404  Not Found") as caught:
        packages.fetch(wanted, tmp_path)
    assert str(packages.folder()) in caught.value.hint


def test_old_lists_serve_when_they_cannot_be_refreshed(apt: Path) -> None:
    program(apt, "apt-get", "echo 'W: Failed to fetch http://mirror/InRelease' >&2")
    listed = "echo linux-image-6.12.95+deb12-cloud-arm64"
    program(apt, "apt-cache", f'case "$*" in *pkgnames*) {listed};; *) echo "Version: 6.12.95-1";; esac')
    found = packages.find("arm64", None)
    assert (found.name, found.version) == ("linux-image-6.12.95+deb12-cloud-arm64", "6.12.95-1")


def test_without_debians_tools_nothing_is_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissingError, match="kernels come as Debian packages"):
        packages.find("arm64", None)


@pytest.fixture
def mirror(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror in a folder, and no other in apt's configuration; 6.12.95 is pinned."""
    if shutil.which("apt-get") is None:
        pytest.skip("apt is not installed")
    place = tmp_path / "mirror"
    place.mkdir()
    sources, configuration, pins = tmp_path / "sources.list", tmp_path / "apt.conf", tmp_path / "kernels.toml"
    sources.write_text(f"deb [trusted=yes] file:{place} ./\n")
    configuration.write_text(f'Dir::Etc::sourcelist "{sources}";\nDir::Etc::sourceparts "/dev/null";\n')
    monkeypatch.setenv("APT_CONFIG", str(configuration))
    made = debian_package(tmp_path, "6.12.95+deb12-cloud-arm64", modules=("af_alg",))
    digest = sha256(made.read_bytes()).hexdigest()
    pin = f'name = "{made.name.partition("_")[0]}"\nversion = "1.0-1"\nsha256 = "{digest}"\n'
    pins.write_text(f"[arm64]\n{pin}[amd64]\n{pin}")
    monkeypatch.setattr(packages, "PINNED", pins)
    assert own_cache
    return place


def offer(mirror: Path, *files: Path) -> None:
    """Let it have these packages and no others."""
    entries = []
    for file in files:
        shutil.copy(file, mirror)
        name, version, _ = file.name.split("_")
        entries.append(
            f"Package: {name}\nVersion: {version}\nArchitecture: arm64\nFilename: ./{file.name}\n"
            f"Size: {file.stat().st_size}\nSHA256: {sha256(file.read_bytes()).hexdigest()}\n"
        )
    (mirror / "Packages").write_text("\n".join(entries))


def test_the_pinned_kernel_is_fetched_though_there_is_a_newer(mirror: Path, tmp_path: Path) -> None:
    newer = debian_package(tmp_path, "6.12.117+deb12-cloud-arm64")
    offer(mirror, tmp_path / "linux-image-6.12.95+deb12-cloud-arm64_1.0-1_arm64.deb", newer)
    found = kernel.get(_ARM)
    assert (found.release, found.instead_of) == ("6.12.95+deb12-cloud-arm64", None)
    assert kernel.get(_ARM, "6.12.117").release == "6.12.117+deb12-cloud-arm64"


def test_a_pinned_kernel_that_is_here_stays_when_the_mirror_drops_it(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(mirror, tmp_path / "linux-image-6.12.95+deb12-cloud-arm64_1.0-1_arm64.deb")
    kernel.get(_ARM)
    shutil.rmtree(mirror)
    monkeypatch.setattr(packages._Apt, "run", lambda *_: pytest.fail("apt was asked"))
    assert kernel.get(_ARM).release == "6.12.95+deb12-cloud-arm64"


def test_without_the_pinned_kernel_the_newest_is_taken_and_says_so(mirror: Path, tmp_path: Path) -> None:
    offer(mirror, *(debian_package(tmp_path, f"6.12.{patch}+deb12-cloud-arm64") for patch in (99, 117)))
    found = kernel.get(_ARM)
    assert found.release == "6.12.117+deb12-cloud-arm64"
    assert found.instead_of == packages.pinned("arm64")
    assert found.described().endswith("1.0-1, instead of the pinned 1.0-1)")
    (said,) = Vm().remarks()
    assert found.release in said
    assert packages.pinned("arm64").name in said


def test_another_file_of_the_pinned_version_is_not_the_pinned_one(mirror: Path, tmp_path: Path) -> None:
    other = debian_package(tmp_path / "other", "6.12.95+deb12-cloud-arm64")
    offer(mirror, other)
    found = packages.find("arm64", None)
    assert found.instead_of == packages.pinned("arm64")
    with pytest.raises(EngineMissingError, match="SHA-256 differs"):
        packages.fetch(packages.pinned("arm64"), tmp_path / "other")


def test_every_machine_has_a_pinned_kernel() -> None:
    for architecture in machine.architectures():
        pin = packages.pinned(machine.of(architecture).debian)
        assert pin.release != pin.name
        assert len(pin.sha256 or "") == 64
