# Installs lmthing from the archive of a release, after its checksum; read by run.sh, for which it sets `program`.
# LMTHING_RELEASES is the address of a mirror: it has the files of version 1.2.3 below v1.2.3/.
# shellcheck shell=bash disable=SC2154 # `work`, `action` and `version` are variables of run.sh

# find_target: sets `target` to the name of this system, as in the names of archives.
find_target() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-aarch64)
      local libc=gnu
      [[ -z $(compgen -G '/lib/ld-musl-*') ]] || libc=musl
      target=$(uname -m)-unknown-linux-$libc
      ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    MINGW*-x86_64 | MSYS*-x86_64) target=x86_64-pc-windows-msvc ;;
    *) stop "there is no archive of lmthing for $(uname -s) on $(uname -m); set bin to a program of your own" ;;
  esac
}

# fetch ADDRESS FILE
fetch() {
  curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --output "$2" "$1" 2> "$work/curl.err" ||
    stop "version $version: cannot fetch $1: $(cat "$work/curl.err")"
}

# find_folder: sets `folder` to the address of the files of the version.
find_folder() {
  local repository
  if [[ -n ${LMTHING_RELEASES:-} ]]; then
    folder=$LMTHING_RELEASES/v$version
    return
  fi
  repository=$(sed -n 's/^repository = "\(.*\)"$/\1/p' "$action/../Cargo.toml")
  [[ -n $repository ]] || stop 'this version of the action names no repository with releases; set bin to a program'
  if [[ $version == latest ]]; then
    folder=$repository/releases/latest/download
  else
    folder=$repository/releases/download/v$version
  fi
}

[[ -n $version ]] || version=$("$action/../.ci/version")
version=${version#v}
[[ $version =~ ^(latest|[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?)$ ]] ||
  stop "version is \"$version\"; it can be a version such as 1.2.3, or latest"
find_target
find_folder
fetch "$folder/SHA256SUMS" "$work/SHA256SUMS"
sum_line=$(grep -E "^[0-9a-f]{64}  lmthing-[0-9A-Za-z.+-]+-$target\.tar\.gz$" "$work/SHA256SUMS" | head -n 1) ||
  stop "version $version of lmthing has no archive for $target; set bin to a program of your own"
archive=${sum_line#*  }
fetch "$folder/$archive" "$work/$archive"
checker=(sha256sum)
command -v sha256sum > /dev/null || checker=(shasum -a 256)
(cd "$work" && "${checker[@]}" --check <<< "$sum_line") > /dev/null 2>&1 ||
  stop "$folder/$archive has another checksum than SHA256SUMS says"
tar -xzf "$work/$archive" -C "$work"
program=$work/${archive%.tar.gz}/lmthing
[[ $target != *windows* ]] || program=$program.exe
printf '%s\n' "${program%/*}" >> "${GITHUB_PATH:-/dev/null}"
