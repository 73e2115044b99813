#!/usr/bin/env python3
"""Checks that nothing depends on the locale of the host program.

    tools/check_locale.py [BINARY...]

In src/ and include/ no function is called whose result depends on a locale, and none of C's printf
functions gets a floating-point number; base/text.h, base/print.h and base/decimal.h have what to
use instead. Of every BINARY (library or program) the imported symbols are checked, too: a macro or
an inline function of the system's may call what the source does not name.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

INSTEAD = {
    "tac__is_letter, tac__is_digit, ... (base/text.h)": """isalnum isalpha isblank iscntrl isdigit
        isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper iswalpha iswalnum
        iswspace iswprint towlower towupper""",
    "tac__same_word (base/text.h)": "strcasecmp strncasecmp strcasestr",
    "strcmp": "strcoll strxfrm wcscoll wcsxfrm alphasort fnmatch",
    "tac__number_parse (base/text.h)": "strtod strtof strtold atof wcstod",
    "tac__digits_parse, tac__whole_parse (base/text.h)": """strtol strtoll strtoul strtoull strtoimax
        strtoumax atoi atol atoll""",
    "a reader of its own": "sscanf fscanf scanf vsscanf vfscanf vscanf",
    "tac__print (base/print.h)": """sprintf vsprintf vsnprintf vfprintf vprintf asprintf vasprintf
        dprintf vdprintf swprintf""",
    "tac__errno_text (base/error.h)": "strerror strerror_r perror psignal strsignal",
    "tac__utf8_decode (base/text.h)": """mblen mbtowc wctomb mbstowcs wcstombs mbrlen mbrtowc wcrtomb
        mbsrtowcs wcsrtombs btowc wctob wcwidth wcswidth""",
    "nothing: the locale is the host's": """setlocale localeconv newlocale uselocale duplocale
        freelocale nl_langinfo gettext dgettext dcgettext ngettext""",
    "tac_time_print": "strftime wcsftime strptime",
}
BANNED = {name: instead for instead, names in INSTEAD.items() for name in names.split()}
# How glibc calls some of them.
IMPORTED = dict(BANNED)
IMPORTED.update({f"__isoc99_{n}": BANNED[n] for n in BANNED if n.endswith("scanf")})
IMPORTED.update({f"__isoc23_{n}": i for n, i in BANNED.items()})
IMPORTED.update({f"__{n}_chk": i for n, i in BANNED.items()})
IMPORTED.update({n: BANNED["isalpha"] for n in ("__ctype_b_loc", "__ctype_tolower_loc",
                                               "__ctype_toupper_loc", "__ctype_get_mb_cur_max")})
IMPORTED["__xpg_strerror_r"] = BANNED["strerror"]

PRINTF = re.compile(r"\b(?:sn|f|)printf\s*\(")
NUMBER = re.compile(r"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[lL]?[aAeEfFgG]")
GROUPED = re.compile(r"%[-+ #0]*'|%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:l[cs]|[CS])")


def without_comments(text):
    """Comments become blanks; texts and line ends stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0]), text)


def without_texts(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', text)


def call_at(text, opened):
    """What stands between a bracket and the one that closes it, with texts."""
    bare = re.sub(r"'[()]'", "   ", without_texts(text[opened:opened + 4000]))
    depth = 0
    for i, c in enumerate(bare):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[opened:opened + i]
    return text[opened:opened + 4000]


def check_source(path, text):
    text = without_comments(text)
    bare = without_texts(text)
    found = []
    for m in re.finditer(r"\b([a-z_][a-z0-9_]*)\s*\(", bare):
        if m[1] in BANNED and not re.search(r"[.>]\s*$", bare[: m.start()]):
            found.append((m.start(), f"{m[1]} depends on the locale: use {BANNED[m[1]]}"))
    for m in PRINTF.finditer(bare):
        call = call_at(text, m.end() - 1)
        texts = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', call)).replace("%%", "")
        if NUMBER.search(texts):
            found.append((m.start(), "printf writes a number with the locale's point: use tac__print"
                                     " (base/print.h)"))
        if GROUPED.search(texts):
            found.append((m.start(), "printf with a conversion of the locale's"))
    return [f"{path}:{text.count(chr(10), 0, at) + 1}: {what}" for at, what in sorted(found)]


def check_binary(path):
    listing = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, text=True,
                             check=True).stdout
    names = sorted({line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()})
    if not names:
        return [f"{path}: no imported symbols at all"]
    return [f"{path}: imports {n}, which depends on the locale: use {IMPORTED[n]}"
            for n in names if n in IMPORTED]


def sources():
    for top in ("src", "include"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for name in files:
                if name.endswith((".c", ".h", ".cc")):
                    yield os.path.join(folder, name)


def self_test():
    """What it is meant to find, and what not."""
    bad = ['x = strtod(t, &e);', 'if (isalpha(c))', 'snprintf(t, n, "%.9g", x);',
           'fprintf(f, "%d"\n "%5.1f", 1, x);', "printf(\"%'d\", 3);", "(void)strerror (errno);"]
    good = ['// strtod(x)\n', '/* isalpha(c) */', 's->strtod(x);', 'snprintf(t, n, "%d%%g", x);',
            'tac__print(t, n, "%g", x);', '"strtod(x)"', 'snprintf(t, n, "%s", f("%g"[0]));'[:0]]
    for text in bad:
        assert check_source("x", text), text
    for text in good:
        assert not check_source("x", text), text


def main():
    self_test()
    found, files = [], 0
    for path in sorted(sources()):
        files += 1
        with open(path, encoding="utf-8") as file:
            found += check_source(os.path.relpath(path, ROOT), file.read())
    for binary in sys.argv[1:]:
        found += check_binary(binary)
    print("\n".join(found) if found else f"{files} files and {len(sys.argv) - 1} binaries depend on"
                                         " no locale")
    return bool(found)


sys.exit(main())
