#!/usr/bin/env python3
"""Messages of ports as messages of LCM: code that lcm-gen makes decodes them and encodes the same
bytes again."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
import lcm_c

TOOL = os.path.join(os.environ["TACTUS_BUILD"], "tests/tool_bus_lcm_message")
if not lcm_c.available():
    sys.exit(77)
work = tempfile.TemporaryDirectory(prefix="lcm_message.")
os.chdir(work.name)


def tool(*words):
    return subprocess.run([TOOL, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def check(what, got, expected):
    if got != expected:
        sys.exit("%s: %s is not %s" % (what, got, expected))


with open("types.lcm", "w") as file:
    file.write(tool("types"))
peer = lcm_c.compile_types("types.lcm", r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    static unsigned char in[2048], out[2048];
    int n = 0;
    for (const char *c = argv[2]; sscanf(c, "%2hhx", &in[n]) == 1; c += 2)
        n++;
    int size;
    if (argv[1][0] == 'n') {
        tactus_numbers_t m;
        if (tactus_numbers_t_decode(in, 0, n, &m) != n)
            return 1;
        for (int i = 0; i < m.count; i++)
            printf("%a ", m.value[i]);
        size = tactus_numbers_t_encode(out, 0, sizeof out, &m);
    } else {
        tactus_bytes_t m;
        if (tactus_bytes_t_decode(in, 0, n, &m) != n)
            return 1;
        printf("%.*s ", m.count, (const char *)m.data);
        size = tactus_bytes_t_encode(out, 0, sizeof out, &m);
    }
    for (int i = 0; i < size; i++)
        printf("%02x", out[i]);
    return 0;
}
""", "peer")


def told(kind, message):
    return subprocess.run([peer, kind, message], check=True, stdout=subprocess.PIPE, text=True).stdout


for numbers in ([], [1.5], [0.1, -0.0, 1e300, -5e-324, 2.0**53 + 2]):
    message = tool("numbers", *[repr(x) for x in numbers]).strip()
    *values, again = told("numbers", message).split()
    check("numbers", [float.fromhex(v).hex() for v in values], [x.hex() for x in numbers])
    check("the same again", again, message)
for text in ("x", "some_bytes"):
    message = tool("bytes", text).strip()
    check("bytes", told("bytes", message), "%s %s" % (text, message))
