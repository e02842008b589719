# SPDX-License-Identifier: Apache-2.0
"""Two hundred texts that mean something to somebody: shells, C, YAML, spreadsheets, browsers,
terminals, file systems, printf. As names, units, descriptions and file names they must stay texts."""
from __future__ import annotations

SHELL = [f"{a}touch PWNED{b}" for a, b in (
    ("; ", ""), ("| ", ""), ("&& ", ""), ("`", "`"), ("$(", ")"), ("\n", "\n"), ("'; ", "; '"), ('"; ', '; "'),
    ("|| ", " #"), ("& ", " &"), ("<(", ")"), (">", ""), ("${IFS}", ""), ("%0a", ""), ("\\\n", ""))] + [
    "$HOME", "~root", "*", "?", "-rf", "--help", "-o", "--", "@/etc/passwd", "-fplugin=./x.so",
    "-Wl,-rpath,.", "a b", "a\tb", "'", '"', "\\", "!!", "$$", "#", "&"]
C = ["*/ int evil(void); /*", '"); system("touch PWNED"); //', "\\", "\\\n", "??/", "??)", '\\"', "%:include",
     '#include "/etc/passwd"', "#error", "__attribute__((constructor))", "int", "main", "NULL", "x[0]", "a->b",
     "/*", "//", "*/", "\\x41", "\\u0041", "\\0", "L'x'", '"', "_Pragma(\"x\")", "asm(\"int3\")", "@", "$", "exit(0)",
     "1); abort(", "}; int x = {"]
YAML = ["&a", "*a", "!!python/object:os.system", "!tag", "- a", "a: b", "? a", "|", ">", "%YAML 1.1", "---", "...",
        "{a: b}", "[a, b]", "null", "~", "true", "yes", "0o7", "1:30", "<<", "=", "@x", "`x`", "# c", "a #b",
        "2001-01-01", ".inf", ".nan", "'", "''", '"\\', ": ", "key:", "\t", " lead", "trail ", "\u2028", "\u0085", "\ufeff"]
CSV = ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "a,b", 'a"b', "a\nb", ";=1",
       "=HYPERLINK(\"http://x\")", "\uff1d1+1", "|=1", "# a", "nan", ",", ",,,,", '"', '""']
HTML = ["<script>alert(1)</script>", "</script><script>x", "<img src=x onerror=alert(1)>", "<!--", "-->", "]]>",
        "</title>", "</style>", "&lt;", "&#x3c;", "&amp;", "javascript:x", '" onload="x', "' onload='x", "<svg/onload=x>",
        "<a href=//x>", "${alert(1)}", "{{7*7}}", "\\u003cscript", "</text>", "<![CDATA[", "<?xml", "<!DOCTYPE x>",
        "\u2028x", "</ScRiPt >", "<iframe>", "<base href=x>", "\\x3cscript"]
TERMINAL = ["\x1b[2J", "\x1b]0;title\x07", "\x1b[31mred", "\x1b]8;;http://x\x07", "\x9b31m", "\x07", "\x08\x08\x08", "\r",
            "\x7f", "\x1bP", "\x1b[6n", "\x0e", "\x00", "\x1b", "\x85", "\u202e", "\u200b", "\x0c"]
PATHS = ["../../../etc/passwd", "/etc/passwd", "..", ".", "/", "//", "a/b", "..\\x", "/dev/full", "/dev/null",
         "/proc/self/mem", "file:///etc/passwd", "con", "nul", "a" * 300, "%2e%2e/", "....//", "/dev/stdin"]
FORMATS = ["%s%s%s%s", "%n", "%x" * 20, "%99999999d", "%%", "%", "%*d", "%1$n", "%.17g", "%s\n", "{0}", "%c%c", "%p"]
UNICODE = ["\u00e9", "\u4f60\u597d", "\U0001f600", "e\u0301", "\u0130", "\u00df", "\ud800", "\udcff", "\udc80\udcbf", "\u0000",
           "\uffff", "\U0010ffff", "a" * 5000, "x" * 61, "\u0430"]

KINDS = {"shell": SHELL, "C": C, "YAML": YAML, "CSV": CSV, "HTML": HTML, "terminal": TERMINAL, "path": PATHS,
         "format": FORMATS, "unicode": UNICODE}
ALL = [(kind, text) for kind, texts in KINDS.items() for text in texts]
assert len(ALL) >= 200
