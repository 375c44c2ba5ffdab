#!/usr/bin/env bash
# What action.yml runs: installs lmthing unless a program is given, checks and tests prompt files, writes the summary of
# the job, and fails at last. Runs with the bash 3.2 of macOS.
set -euo pipefail

action=$(cd "$(dirname "$0")" && pwd)
paths_input=${ACTION_INPUT_PATHS:-.} version=${ACTION_INPUT_VERSION:-} bin=${ACTION_INPUT_BIN:-}
strict=${ACTION_INPUT_STRICT:-false}
# Prompt files see the environment.
unset ACTION_PATH ACTION_INPUT_PATHS ACTION_INPUT_VERSION ACTION_INPUT_BIN ACTION_INPUT_STRICT

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/lmthing-XXXXXX")
junit=$work/junit.xml

# set_output NAME VALUE
set_output() {
  printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:-/dev/null}"
}

# stop MESSAGE: ends with an error that is not about a prompt file.
stop() {
  printf '::error title=lmthing::%s\n' "$(escape_command "$1")"
  printf '## lmthing: failed\n\n%s\n' "$(ONLY_TEXT=$1 summary)" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  set_output junit ''
  set_output ok false
  exit 1
}

# summary ARGUMENTS…: see summary.awk.
summary() {
  LC_ALL=C awk -f "$action/summary.awk" "$@"
}

# escape_command TEXT: for the message of a workflow command.
escape_command() {
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

# print_inert FILES…: prints text in which GitHub looks for no commands.
print_inert() {
  local token=lmthing-$RANDOM$RANDOM$RANDOM
  printf '::stop-commands::%s\n' "$token"
  cat "$@"
  printf '\n::%s::\n' "$token"
}

# read_paths: sets `paths`. Stops at paths that do not exist.
read_paths() {
  local line word words missing='' hint=''
  paths=()
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    [[ -n $line ]] || continue
    if [[ -e $line ]]; then
      paths+=("$line")
    else
      IFS=$' \t' read -r -a words <<< "$line"
      for word in "${words[@]}"; do
        [[ -e $word ]] || missing+="${missing:+, }\"$word\""
        [[ -e $word || ${#words[@]} == 1 ]] || hint='; a path with spaces needs a line of its own'
      done
      paths+=("${words[@]}")
    fi
  done <<< "$paths_input"
  [[ -z $missing ]] || stop "paths: there is no file or folder $missing$hint"
  ((${#paths[@]} > 0)) || paths=(.)
}

# run_lmthing NAME ARGUMENTS…: sets `code`; the output is in NAME.out and NAME.err.
run_lmthing() {
  local name=$1
  shift
  code=0
  "$program" "$@" > "$work/$name.out" 2> "$work/$name.err" || code=$?
}

[[ $strict == true || $strict == false ]] || stop "strict is \"$strict\"; it can be true or false"
if [[ -n $bin ]]; then
  [[ ! -f $bin || $bin == */* ]] || bin=./$bin
  program=$(command -v "$bin") || stop "bin: there is no program $bin"
else
  # Sets `program`.
  # shellcheck source-path=SCRIPTDIR
  source "$action/install.sh"
fi
"$program" --version > "$work/version" 2>&1 || stop "$program does not run: $(cat "$work/version")"
cat "$work/version"
read_paths

echo '::group::lmthing check'
options=(--format github)
[[ $strict == false ]] || options+=(--strict)
run_lmthing check check "${options[@]}" -- "${paths[@]}"
check_code=$code
print_inert "$work/check.err"
echo '::endgroup::'
# One command a line, whose texts are escaped.
grep -E '^::(error|warning|notice) ' "$work/check.out" || true

echo '::group::lmthing test'
run_lmthing test test --junit "$junit" -- "${paths[@]}"
test_code=$code
print_inert "$work/test.out" "$work/test.err"
echo '::endgroup::'
touch "$work/report"
[[ ! -f $junit ]] || cp "$junit" "$work/report"
# The annotations come last, one for each failure at most: what tests print may look like one.
failures=$(grep -c -E '^ *<(failure|error) ' "$work/report" || true)
grep -E '^::error file=' "$work/test.err" | tail -n "$failures" || true

[[ -f $junit ]] || junit=
summary check_code="$check_code" test_code="$test_code" strict="$strict" part=findings "$work/check.out" \
  part=check_error "$work/check.err" part=test_error "$work/test.err" part=report "$work/report" \
  >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
set_output junit "$junit"
if ((check_code == 0 && test_code == 0)); then
  set_output ok true
else
  set_output ok false
  exit 1
fi
