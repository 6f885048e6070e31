# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What KVScope is built with, for each package manager, and how it gets there. Sourced by run.sh and test.sh.
# CONTRIBUTING.md says why each is needed. `a|b`: the first of them that this release has.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "packaging/$(basename "$0")" "$*" >&2
    exit 1
}

manager=
for candidate in apt-get dnf pacman zypper brew; do
    if command -v "$candidate" >/dev/null; then
        manager=$candidate
        break
    fi
done

# build: the programs. check: test.sh on top of that. font: where no font here can draw Chinese.
case $manager in
apt-get)
    build='g++ cmake ninja-build qt6-base-dev qt6-charts-dev libqt6opengl6-dev|qt6-base-dev qt6-svg-dev|libqt6svg6-dev
        qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools qt6-translations-l10n nlohmann-json3-dev libcli11-dev fontconfig'
    check='libbenchmark-dev clang libclang-rt-dev|libclang-rt-14-dev clang-format-14 desktop-file-utils appstream'
    font='fonts-noto-cjk'
    ;;
dnf)
    build='gcc-c++ cmake ninja-build qt6-qtbase-devel qt6-qtcharts-devel qt6-qtsvg-devel qt6-qttools-devel
        qt6-qttranslations json-devel cli11-devel fontconfig'
    check='google-benchmark-devel clang compiler-rt libasan libubsan desktop-file-utils appstream'
    font='google-noto-sans-cjk-fonts'
    ;;
pacman)
    build='gcc cmake ninja qt6-base qt6-charts qt6-svg qt6-tools qt6-translations nlohmann-json cli11 fontconfig'
    check='benchmark clang compiler-rt desktop-file-utils appstream'
    font='noto-fonts-cjk'
    ;;
zypper)
    build='gcc-c++ cmake ninja qt6-base-devel qt6-charts-devel qt6-svg-devel qt6-linguist-devel qt6-tools-devel
        nlohmann_json-devel cli11-devel fontconfig'
    check='benchmark-devel clang desktop-file-utils AppStream'
    font='google-noto-sans-cjk-fonts'
    ;;
brew)
    build='cmake ninja qt nlohmann-json cli11'
    check='google-benchmark llvm'
    font=
    ;;
esac

installed() {
    case $manager in
    apt-get) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    dnf | zypper) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
    pacman) pacman -T "$1" >/dev/null 2>&1 ;;
    brew) brew list "$1" >/dev/null 2>&1 ;;
    esac
}

# A virtual package (libqt6opengl6-dev on Ubuntu 24.04) is not known: it has no version to install.
known() { [ "$manager" != apt-get ] || [[ $(apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[0-9]* ]]; }

drawsChinese() { [ -n "$(fc-list :lang=zh-cn family 2>/dev/null)" ]; }

# Of a list with alternatives, those packages that are not here yet. The first alternative that this release has counts;
# where nothing is known (no package lists), any that is installed does.
missing() {
    local wanted alternative first here
    for wanted in $1; do
        first=${wanted%%|*}
        if installed "$first"; then
            continue
        fi
        here=$first
        if [ "$wanted" != "$first" ]; then
            for alternative in ${wanted//|/ }; do
                if known "$alternative"; then
                    here=$alternative
                    break
                elif [ "$here" = "$first" ] && installed "$alternative"; then
                    here=$alternative
                fi
            done
        fi
        installed "$here" || printf '%s ' "$here"
    done
}

# setUp build|check: installs what is missing, after asking where it takes sudo (CI=true: without asking).
setUp() {
    local wanted=$build packages log="$root/build/setup.log" become=(env) install answer
    [ "$1" = build ] || wanted="$build $check"
    mkdir -p "$root/build" 2>/dev/null || fail "can't write to $root"
    if [ -z "$manager" ]; then
        say "No package manager known here (apt, dnf, pacman, zypper, brew): going on with what is installed."
    elif [ -n "$font" ] && ! drawsChinese; then
        wanted="$wanted $font"
    fi

    packages=$(missing "$wanted")
    if [ -n "$packages" ]; then
        case $manager in
        apt-get) install='apt-get install -y --no-install-recommends' ;;
        dnf | zypper) install="$manager install -y" ;;
        pacman) install='pacman -S --needed --noconfirm' ;;
        brew) install='brew install' ;;
        esac
        if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
            command -v sudo >/dev/null ||
                fail "packages are missing, and there is neither root nor sudo; as root, run: $install $packages"
            if [ "${CI:-}" != true ]; then
                [ -t 0 ] || fail "no terminal to ask for leave to use sudo (CI=true skips the question); or run: sudo $install $packages"
                say "KVScope needs these packages: $packages"
                read -r -p "Install them with sudo? [Y/n] " answer
                case $answer in [nN]*) fail "not installed; when you like, run: sudo $install $packages" ;; esac
                sudo -v || fail "sudo refused"
            fi
            become=(sudo -n env)
        fi
        say "Installing $packages(log: $log)"
        {
            if [ "$manager" = apt-get ]; then
                install="$install -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=300"
                "${become[@]}" DEBIAN_FRONTEND=noninteractive apt-get update -o Acquire::Retries=2 -o Acquire::http::Timeout=30
                packages=$(missing "$wanted") # a fresh machine knows its packages only now
                become=("${become[@]}" DEBIAN_FRONTEND=noninteractive)
            fi
            # shellcheck disable=SC2086
            "${become[@]}" $install $packages
        } >"$log" 2>&1 || fail "the packages could not be installed (offline?): $(grep -E '^(E:|[Ee]rror|sudo:)' "$log" | head -n 1); log: $log"
    fi

    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p') || true
    [ "$(printf '%s\n' 3.25 "${version:-0}" | sort -V | head -n 1)" = 3.25 ] ||
        fail "CMake 3.25 or newer is needed, here is ${version:-none}"
    if [ "$manager" = brew ]; then
        CMAKE_PREFIX_PATH=$(brew --prefix qt)
        export CMAKE_PREFIX_PATH
    fi
    if command -v ccache >/dev/null; then
        export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    fi
}
