"""A Containerfile's steps run one by one on roots of our own, where no container engine is.

Each stage is a folder made from a Debian root; RUN goes through ``chroot``. What an image has
beside (layers, namespaces, limits) is not there.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
SUITE = "bookworm"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # as engines set it
_UMASK = 0o022  # as engines set it, whatever this machine's is
_BORROWED = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
"""Of this machine, so that pip finds inside what it finds outside."""


@dataclass
class Stage:
    """A root on which instructions were carried out, and what they set."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    user: str = "0"
    entrypoint: tuple[str, ...] = ()
    health: tuple[str, ...] = ()

    def command(self, *command: str) -> Sequence[str]:
        """Return what runs a command inside, as the stage's user."""
        return _find("chroot"), f"--userspec={self.user}:{self.user}", str(self.root), *command

    def start(self, *command: str, **environ: str) -> "subprocess.Popen[str]":
        """Start a command inside; its output is one stream of text."""
        return subprocess.Popen(
            self.command(*command),
            env={"PATH": _PATH, **self.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            umask=_UMASK,
        )

    def run(self, *command: str, **environ: str) -> str:
        """Run a command inside to its end and return what it printed."""
        done = self.start(*command, **environ)
        printed, _ = done.communicate()
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, command, printed)
        return printed


def make_root(folder: Path) -> Path:
    """Make a Debian root with Python as a tarball, by mmdebstrap; or take the one there is."""
    if "TEST_IMAGE_ROOT" in os.environ:
        return Path(os.environ["TEST_IMAGE_ROOT"])
    tarball = folder / "root.tar"
    command = (
        _find("mmdebstrap"),
        "-q",
        "--variant=minbase",
        f"--include={PACKAGES}",
        SUITE,
        str(tarball),
    )
    subprocess.run(command, check=True, capture_output=True)
    return tarball


def build_image(project: Path, folder: Path) -> Stage:
    """Carry out the Containerfile of a project; return its last stage."""
    former = os.umask(_UMASK)
    try:
        return _build_image(project, folder)
    finally:
        os.umask(former)


def _build_image(project: Path, folder: Path) -> Stage:
    tarball = make_root(folder)
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    for number, (instruction, value) in enumerate(read_instructions(project / "Containerfile")):
        match instruction:
            case "FROM":
                _, _, name = value.partition(" AS ")
                stage = stages[name or str(number)] = Stage(folder / f"stage-{number}")
                _unpack(tarball, stage.root)
            case "COPY" if value.startswith("--from="):
                origin, source, target = value.removeprefix("--from=").split()
                _copy(stages[origin].root / source[1:], stage.root / target[1:])
            case "COPY":
                source, target = value.split()
                _copy_context(project, stage.root / target[1:])
            case "RUN":
                stage.run("/bin/sh", "-ec", value, **_borrow_settings())
            case "USER":
                stage.user = value
            case "ENV":
                stage.environ |= _read_environment(value, stage.environ)
            case "ENTRYPOINT":
                stage.entrypoint = tuple(json.loads(value))
            case "CMD":
                stage.entrypoint += tuple(json.loads(value))
            case "HEALTHCHECK":
                stage.health = tuple(json.loads(value.partition("CMD ")[2]))
    for path in _BORROWED:
        (stage.root / path[1:]).unlink(missing_ok=True)
    return stage


def read_instructions(path: Path) -> list[tuple[str, str]]:
    """Return instructions and what they say, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    parts = [line.partition(" ") for line in lines if line]
    return [(name, value.strip()) for name, _, value in parts]


def _find(program: str) -> str:
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    assert found is not None, program
    return found


def _unpack(tarball: Path, root: Path) -> None:
    root.mkdir()
    subprocess.run((_find("tar"), "-xf", str(tarball), "-C", str(root)), check=True)
    for path in _BORROWED:
        if os.path.exists(path):
            (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, root / path[1:])


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run((_find("cp"), "-a", str(source), str(target)), check=True)


def _copy_context(project: Path, target: Path) -> None:
    """Copy what the build may see: the last rule of ``.dockerignore`` that fits a path decides."""
    rules = (project / ".dockerignore").read_text(encoding="utf-8").split()
    listed = subprocess.run(
        (_find("git"), "ls-files"), cwd=project, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        parts = Path(name).parts
        places = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        is_sent = True
        for rule in rules:
            pattern = rule.removeprefix("!").removeprefix("**/")
            if any(fnmatch(place, pattern) for place in (*places, *parts)):
                is_sent = rule.startswith("!")
        if is_sent:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(project / name, target / name)


def _borrow_settings() -> Mapping[str, str]:
    """Return what this machine tells pip by its environment."""
    return {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}


def _read_environment(value: str, environ: Mapping[str, str]) -> dict[str, str]:
    path = environ.get("PATH", _PATH)
    pairs = (pair.partition("=") for pair in value.split())
    return {name: text.replace("$PATH", path) for name, _, text in pairs}
