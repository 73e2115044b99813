#!/usr/bin/env python3
"""Checks the documents against the tree and each other.

    tools/check_docs.py [ROOT]    ROOT is the source tree, by default the one this file is in

- The table of rooms in CONTRIBUTING.md has a row for every folder of src/ in the order of
  tools/rooms.txt; where the table goes into the folders of a room, it has all of them.
- docs/README.md names every document.
- Words of docs/glossary.md are sorted, and none is there twice.
- Links between documents lead to files and headings that exist.
- Files that documents name, as in `src/base/hash.h`, exist.
"""
import os
import re
import sys

complaints = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def folders(path):
    return sorted(name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name)))


def check_rooms():
    listed = re.findall(r"^([a-z]\w*)", read("tools/rooms.txt"), re.M)
    rows = re.findall(r"^\| `src/([\w/]+)/` \|", read("CONTRIBUTING.md"), re.M)
    there = folders("src")
    for room in there:
        inside = [row for row in rows if row.split("/")[0] == room]
        wanted = {room}
        if any("/" in row for row in inside):
            wanted = {f"{room}/{name}" for name in folders(f"src/{room}")}
        for row in sorted(wanted - set(inside)):
            complaints.append(f"CONTRIBUTING.md: the table of rooms has no row `src/{row}/`")
        for row in sorted(set(inside) - wanted):
            complaints.append(f"CONTRIBUTING.md: a row for `src/{row}/`, which is not there")
    for row in rows:
        if row.split("/")[0] not in there:
            complaints.append(f"CONTRIBUTING.md: a row for `src/{row}/`, which is not there")
    ranks = [listed.index(row.split("/")[0]) for row in rows if row.split("/")[0] in listed]
    if ranks != sorted(ranks):
        complaints.append("CONTRIBUTING.md: the table of rooms is not in the order of tools/rooms.txt")


def documents():
    for folder, _, names in sorted(os.walk("docs")):
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def check_index():
    index = read("docs/README.md")
    for path in documents():
        name = os.path.relpath(path, "docs")
        if name != "README.md" and f"]({name})" not in index:
            complaints.append(f"docs/README.md does not name {name}")


def check_glossary():
    words = re.findall(r"^\| (.+?) \|", read("docs/glossary.md"), re.M)
    words = [word for word in words if word != "word"]
    if words != sorted(words, key=str.lower):
        first = next(a for a, b in zip(words, sorted(words, key=str.lower)) if a != b)
        complaints.append(f"docs/glossary.md: '{first}' is not in alphabetical order")
    single = [word for row in words for word in row.split(", ")]
    for word in sorted({word for word in single if single.count(word) > 1}):
        complaints.append(f"docs/glossary.md: '{word}' is there twice")


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(path):
    """Headings as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.+)$", without_code(read(path)), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links():
    for path in ["README.md", "CONTRIBUTING.md", *documents()]:
        text = re.sub(r"`[^`\n]*`", "", without_code(read(path)))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(to):
                complaints.append(f"{path}: a link to {target}, which is not there")
            elif anchor and anchor not in anchors(to):
                complaints.append(f"{path}: a link to {target}, but there is no such heading")


def check_paths():
    named = r"`((?:src|include|examples|tests|tools|bench|docs|fuzz|man)/[\w./-]*)`"
    for path in ["README.md", "CONTRIBUTING.md", *documents()]:
        for name in re.findall(named, without_code(read(path))):
            stands_for_many = re.search("NAME|ROOM|TOPIC", name)
            if not stands_for_many and not os.path.exists(name):
                complaints.append(f"{path}: there is no `{name}`")


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    check_rooms()
    check_index()
    check_glossary()
    check_links()
    check_paths()
    for line in complaints:
        print(line)
    print(f"{len(complaints)} wrong" if complaints else "documents and tree agree")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
