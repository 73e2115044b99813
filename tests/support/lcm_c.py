"""LCM's own code for tests: lcm-gen, and programs in C that are compiled against liblcm."""

import os
import shutil
import subprocess
import sys

COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")


def available():
    """Whether lcm-gen, a compiler and liblcm are here; says what is missing."""
    missing = []
    if not shutil.which("lcm-gen"):
        missing.append("lcm-gen (liblcm-bin)")
    if not COMPILER:
        missing.append("a C compiler")
    elif subprocess.run([COMPILER, "-xc", "-E", "-"], input=b"#include <lcm/lcm.h>\n",
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        missing.append("lcm/lcm.h (liblcm-dev)")
    if missing:
        print("not compiled with LCM's own code: no " + ", no ".join(missing), file=sys.stderr)
    return not missing


def compile_types(types, source, program):
    """The program `source`, together with what lcm-gen makes of the file `types`."""
    folder = program + ".generated"
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    subprocess.run(["lcm-gen", "-c", "--c-cpath", folder, "--c-hpath", folder, types], check=True,
                   stdout=subprocess.DEVNULL)
    units = [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.endswith(".c")]
    with open(program + ".c", "w") as file:
        file.write("".join('#include "%s"\n' % os.path.basename(u) for u in units) + source)
    subprocess.run([COMPILER, "-std=gnu11", "-w", "-O0", "-I" + folder, program + ".c", "-llcm", "-o",
                    program], check=True)
    return "./" + program
