#!/usr/bin/env python3
"""Does what docs/tutorial.md says, as a new user would, and compares what is printed.

    tests/cli/once/tutorial.py [--update]

Needs TACTUS_SOURCE and TACTUS_BUILD in the environment, as ctest sets them. The home folder is an
empty temporary one. Blocks of the document:

    ```yaml NAME, ```c NAME    a file; the text before the block must name it
    ```console                 lines with "$ " are commands, the lines below a command are what it
                               prints, standard output and standard error together; "..." stands
                               for any lines

Any other block is an error. A command must succeed unless an error is what it is to print. Numbers
that depend on the machine (VARIES) are not compared. --update writes into the document what was
printed, for a person to read before it is committed.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

VARIES = [
    (re.compile(r"^(  wall time) .*"), r"\1 *"),
    (re.compile(r"^(  as recorded) +[\d.]+"), r"\1 *"),
]
SKIPPED = 77


class Block:
    def __init__(self, line, kind, name):
        self.line, self.kind, self.name, self.text = line, kind, name, []


class Command:
    def __init__(self, line, text):
        self.line, self.text, self.expected, self.printed, self.code = line, text, [], [], None


def read_blocks(lines):
    """The blocks of the document, with the line on which each begins, and complaints."""
    blocks, wrong, block, before = [], [], None, ""
    for number, line in enumerate(lines, 1):
        if block and line == "```":
            blocks.append(block)
            block, before = None, ""
        elif block:
            block.text.append(line)
        elif line.startswith("```"):
            words = line[3:].split()
            block = Block(number, words[0] if words else "", words[1] if len(words) == 2 else None)
            if block.kind in ("yaml", "c") and block.name:
                if f"`{block.name}`" not in before:
                    wrong.append(f"{number}: the text before the block does not name `{block.name}`")
            elif line != "```console":
                wrong.append(f"{number}: a block that is neither a file nor commands: {line}")
        elif line.startswith("    "):
            wrong.append(f"{number}: an indented block is not run by the test")
        else:
            before = line if line.startswith("#") else before + line + "\n"
    if block:
        wrong.append(f"{block.line}: a block without an end")
    return blocks, wrong


def read_commands(block):
    commands = []
    for number, line in enumerate(block.text, block.line + 1):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise SystemExit(f"{number}: a block of commands begins with a line without '$ '")
    return commands


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def do_all(blocks, work):
    """Writes the files and runs the commands, in their order, in one shell."""
    home, log = os.path.join(work, "home"), os.path.join(work, "log")
    source = os.path.join(work, "source")
    for folder in (home, log, source):
        os.mkdir(folder)
    os.symlink(os.environ["TACTUS_BUILD"], os.path.join(source, "build"))
    script, commands = [f"cd {quoted(source)}"], []
    for i, block in enumerate(blocks):
        if block.kind != "console":
            path = os.path.join(log, f"file{i}")
            with open(path, "w") as f:
                f.write("\n".join(block.text) + "\n")
            script.append(f"cp {quoted(path)} {quoted(block.name)}")
            continue
        for command in read_commands(block):
            path = os.path.join(log, f"command{len(commands)}")
            commands.append(command)
            script.append(f"{{ {command.text}\n}} >{quoted(path)} 2>&1 </dev/null")
            script.append(f"echo $? >{quoted(path)}.code")
    environment = {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C"}
    subprocess.run(["bash", "-c", "\n".join(script)], env=environment, check=False)
    for i, command in enumerate(commands):
        with open(os.path.join(log, f"command{i}")) as f:
            command.printed = f.read().splitlines()
        with open(os.path.join(log, f"command{i}.code")) as f:
            command.code = int(f.read())
    return commands


def comparable(lines):
    result = []
    for line in lines:
        for pattern, text in VARIES:
            line = pattern.sub(text, line)
        result.append(line.rstrip())
    return result


def matches(expected, printed):
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])


def complaints(commands):
    wrong = []
    for command in commands:
        expected, printed = comparable(command.expected), comparable(command.printed)
        fails = any("error:" in line for line in command.expected)
        if (command.code != 0) != fails:
            wrong.append(f"{command.line}: exit code {command.code}: {command.text}")
        if not matches(expected, printed):
            wrong.append(f"{command.line}: prints something else: {command.text}")
            wrong += [f"    {line}" for line in difflib.ndiff(expected, printed)]
    return wrong


def update(path, lines, commands):
    """Puts what was printed in the place of what the document says, unless that matches."""
    for command in reversed(commands):
        if not matches(comparable(command.expected), comparable(command.printed)):
            lines[command.line : command.line + len(command.expected)] = command.printed
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def main():
    path = os.path.join(os.environ["TACTUS_SOURCE"], "docs", "tutorial.md")
    missing = [tool for tool in ("cc", "cmake", "pkg-config", "gnuplot") if not shutil.which(tool)]
    if missing:
        print("skipped: there is no " + ", no ".join(missing))
        return SKIPPED
    with open(path) as f:
        lines = f.read().splitlines()
    blocks, wrong = read_blocks(lines)
    commands = []
    if not wrong:
        with tempfile.TemporaryDirectory() as work:
            commands = do_all(blocks, work)
        if "--update" in sys.argv:
            update(path, lines, commands)
            return 0
        wrong = complaints(commands)
    for line in wrong:
        print(f"tutorial.md:{line}" if line[0].isdigit() else line)
    count = sum(line[0].isdigit() for line in wrong)
    print(f"{len(commands)} commands, {count} complaints")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
