#!/bin/sh
# Runs the file `script` next to the link that this is started by, with `$F` for the file `bytes`.
here=${0%/*}
F=$here/bytes
echo $$ >> "$here/processes"
. "$here/script"
