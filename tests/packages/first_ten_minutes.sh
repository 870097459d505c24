#!/usr/bin/env bash
# Installs the packages of a folder on a system without Rust and takes a newcomer's first steps
# there. Prints how long each step takes. Ends with 77 if it cannot make such a system.
#
#   unshare --mount tests/packages/first_ten_minutes.sh PACKAGES SCRATCH
#
# The system is a copy on write of this one (an overlay) in which the toolchains and this project
# cannot be seen.
set -euo pipefail
packages=$(realpath "$1")
scratch=$(realpath "$2")
project=$(realpath "$(dirname "$0")/../..")

prepare() {
    mount -t tmpfs none "$scratch" &&
        mkdir "$scratch"/{upper,work,root} &&
        mount -t overlay none \
            -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$root" &&
        mount --rbind /proc "$root/proc" &&
        mount --rbind /dev "$root/dev" &&
        mount --rbind /sys "$root/sys" &&
        mount -t tmpfs none "$root/tmp" &&
        for hidden in "$HOME/.cargo" "$HOME/.rustup" "$project"; do
            [ ! -d "$root$hidden" ] || mount -t tmpfs none "$root$hidden" || return 1
        done
}

root=$scratch/root
prepare || { echo "no clean system can be mounted here" >&2; exit 77; }
mkdir -p "$root/tmp/packages" "$root/home/student"
cp "$packages"/* "$root/tmp/packages"

exec chroot "$root" /usr/bin/env -i HOME=/home/student PATH="$PATH" LANG=C.UTF-8 \
    bash -euo pipefail -s <<'STEPS'
cd /home/student
if command -v cargo || command -v referee; then
    echo "the system is not clean" >&2
    exit 1
fi

step() {
    local name=$1 begin end
    shift
    begin=$(date +%s%N)
    "$@" >/tmp/said 2>&1 </dev/null || { echo "$name failed:"; cat /tmp/said; exit 1; }
    end=$(date +%s%N)
    printf '%s: %d.%d s\n' "$name" $(((end - begin) / 1000000000)) \
        $(((end - begin) / 100000000 % 10))
}

step "install the Debian package" dpkg -i /tmp/packages/referee_*.deb
step "first result" referee play bot:greedy bot:random
step "first own player" referee new player mine --language python
step "check it" referee check mine
(cd mine && step "its first tournament" referee run --strict)
test -e /usr/share/man/man1/referee-run.1.gz
test -e /usr/share/bash-completion/completions/referee
dpkg -r referee >/dev/null

wheel() {
    python3 -m venv venv
    venv/bin/pip install --quiet --no-index /tmp/packages/referee-*.whl
    venv/bin/referee --version
    venv/bin/python -c 'import referee; print(referee.rate([("ant", "bee", "1-0")]))'
}
step "install the wheel" wheel
archive() {
    tar -xzf /tmp/packages/referee-*.tar.gz
    ./referee-*/referee --version
    ls referee-*/man/referee-run.1 referee-*/completions/referee.zsh
    ls referee-*/games/README.md referee-*/examples/backdraughts.toml
}
step "unpack the archive" archive
STEPS
