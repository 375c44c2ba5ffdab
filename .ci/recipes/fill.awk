# Fills a template: `{version}`, `{repository}`, `{url TARGET}` and `{sha256 TARGET}` of an archive in SHA256SUMS.
#
#   VERSION=… REPOSITORY=… RELEASES=… awk -f fill.awk SHA256SUMS TEMPLATE
#
# Lines from `{if TARGET}` to `{end}` are left out when the release has no archive for it.

FNR == 1 { file++ }

file == 1 {
  prefix = "lmthing-" ENVIRON["VERSION"] "-"
  if (index($2, prefix) == 1 && sub(/\.tar\.gz$/, "", $2)) sums[substr($2, length(prefix) + 1)] = $1
  next
}

/\{if [^}]*\}/ { match($0, /\{if [^}]*\}/); skips = !(substr($0, RSTART + 4, RLENGTH - 5) in sums); next }
/\{end\}/ { skips = 0; next }
skips { next }

{
  gsub(/\{version\}/, ENVIRON["VERSION"])
  gsub(/\{repository\}/, ENVIRON["REPOSITORY"])
  while (match($0, /\{(url|sha256) [^}]*\}/)) {
    split(substr($0, RSTART + 1, RLENGTH - 2), words, " ")
    url = ENVIRON["RELEASES"] "/lmthing-" ENVIRON["VERSION"] "-" words[2] ".tar.gz"
    $0 = substr($0, 1, RSTART - 1) (words[1] == "url" ? url : sums[words[2]]) substr($0, RSTART + RLENGTH)
  }
  print
}
