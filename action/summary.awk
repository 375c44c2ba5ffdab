# Writes the summary of run.sh in Markdown, from what `lmthing check --format github` printed, what both commands wrote to
# standard error, and JUnit's XML. Texts of prompt files, tests and models are shown in code spans, where nothing in them
# is Markdown.
#
#   awk -f summary.awk check_code=N test_code=N strict=BOOLEAN part=findings FILE part=check_error FILE part=test_error FILE \
#     part=report FILE
#   ONLY_TEXT=TEXT awk -f summary.awk

BEGIN {
  MOST = 50
  if ("ONLY_TEXT" in ENVIRON) {
    print code(ENVIRON["ONLY_TEXT"])
    exit
  }
  word["error"] = "error"; word["warning"] = "warning"; word["notice"] = "note"
}

# The findings, one command a line: ::error file=a.lmt.mjs,line=3,col=5,…,title=lmthing TS2322::message
part == "findings" && /^::(error|warning|notice) / {
  end = index(substr($0, 3), "::") + 2
  split(substr($0, 1, end - 1), head, " ")
  level = substr(head[1], 3)
  count[level]++
  if (++findings <= MOST) {
    fields = substr($0, length(head[1]) + 2, end - length(head[1]) - 2)
    title = field(fields, "title")
    sub(/^lmthing /, "", title)
    found[findings] = "- " word[level] " " code(place(fields)) " " code(title) ": " code(unescape(substr($0, end + 2)))
  }
}

# Why a command did not run.
part == "check_error" && /^Error: / && check_error == "" { check_error = substr($0, 8) }
part == "test_error" && /^Error: / && test_error == "" { test_error = substr($0, 8) }

part == "report" && /^<testsuites / { tests = attribute("tests"); failed = attribute("failures") + attribute("errors"); time = attribute("time") }
part == "report" && /^ *<testcase / { name = attribute("classname") " > " attribute("name") }
part == "report" && /^ *<skipped/ { skipped++ }
part == "report" && /^ *<(failure|error) / && ++failures <= MOST { failure[failures] = "- " code(name) ": " code(attribute("message")) }
part == "report" && /^ *<property name="recordings\./ {
  value = attribute("value")
  if (/"recordings.answers"/) answers += value
  if (/"recordings.tokens"/) tokens += value
  if (/"recordings.cost"/) { if (value == "unknown") unknown = 1; else cost += value }
}

END {
  if ("ONLY_TEXT" in ENVIRON) exit
  print "## lmthing: " (check_code == 0 && test_code == 0 ? "passed" : "failed") "\n"
  print "| | |\n| --- | --- |"
  print "| check | " (check_code > 1 || check_code == 1 && !findings ? "did not run" : checked()) " |"
  print "| test | " (tests == "" || tests == 0 ? "did not run" : tested()) " |"
  if (answers) print "| recordings | " recorded() " |"
  if (check_code && !findings) print "\n`lmthing check`: " code(check_error == "" ? "exit code " check_code : check_error)
  if (test_code && !failures) print "\n`lmthing test`: " code(test_error == "" ? "exit code " test_code : test_error)
  list("Findings", found, findings)
  list("Failed tests", failure, failures)
}

function checked() {
  if (!findings) return "no findings"
  return many(count["error"], "error") ", " many(count["warning"], "warning") (strict == "true" ? " (counted as errors)" : "") \
    (count["notice"] ? ", " many(count["notice"], "note") : "")
}

function tested() {
  return (tests - failed - skipped) " passed, " (failed + 0) " failed" (skipped ? ", " skipped " skipped" : "") " in " time " s"
}

function recorded() {
  return many(answers, "answer") ", " many(tokens, "token") ", " (unknown ? "unknown cost" : dollars(cost)) " when recorded"
}

# Small amounts have two significant digits at least.
function dollars(amount,   digits) {
  for (digits = 2; digits < 8 && amount > 0 && amount * 10 ^ digits < 99.5; digits++);
  return sprintf("$%." (amount > 0 && amount < 1 && digits < 4 ? 4 : digits) "f", amount)
}

function many(number, what) {
  return (number + 0) " " what (number == 1 ? "" : "s")
}

function list(title, lines, number,   i) {
  if (!number) return
  print "\n### " title "\n"
  for (i = 1; i <= number && i <= MOST; i++) print lines[i]
  if (number > MOST) print "- and " (number - MOST) " more"
}

# file=a.lmt.mjs,line=3,col=5 as a.lmt.mjs:3:5
function place(fields,   line) {
  line = field(fields, "line")
  return field(fields, "file") (line == "" ? "" : ":" line ":" field(fields, "col"))
}

# The value of a property of a workflow command.
function field(fields, name,   parts, number, i) {
  number = split(fields, parts, ",")
  for (i = 1; i <= number; i++) if (index(parts[i], name "=") == 1) return unescape(substr(parts[i], length(name) + 2))
  return ""
}

function unescape(text) {
  gsub(/%0D|%0A/, " ", text)
  gsub(/%3A/, ":", text)
  gsub(/%2C/, ",", text)
  gsub(/%25/, "%", text)
  return text
}

# The value of an attribute of the XML element in this line.
function attribute(name,   text) {
  text = $0
  if (!match(text, "[ ]" name "=\"[^\"]*\"")) return ""
  text = substr(text, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
  gsub(/&lt;/, "<", text)
  gsub(/&gt;/, ">", text)
  gsub(/&quot;/, "\"", text)
  gsub(/&apos;/, "'", text)
  gsub(/&#[0-9a-fA-Fx]+;/, " ", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

# A code span on one line, between more backticks than the text has in a row.
function code(text,   fence, run) {
  gsub(/[[:cntrl:]]+/, " ", text)
  if (length(text) > 300) {
    text = substr(text, 1, 300)
    # In awks that count bytes, the end may be a part of a character.
    sub(/[^ -~]+$/, "", text)
    text = text "..."
  }
  fence = "`"
  run = text
  while (match(run, /`+/)) {
    while (length(fence) <= RLENGTH) fence = fence "`"
    run = substr(run, RSTART + RLENGTH)
  }
  if (text ~ /^ *$/) return ""
  if (text ~ /^[ `]|[ `]$/) text = " " text " "
  return fence text fence
}
