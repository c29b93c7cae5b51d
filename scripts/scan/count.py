#!/usr/bin/env python3
"""The counts of `scan` on sessions of Claude Code, by the standard json module: every line is decoded.

What a person would write who needs the numbers once; prints them as JSON. Usage: count.py FOLDER
"""
import collections
import json
import pathlib
import re
import sys

SAVED = re.compile(r"(?:Error: )?result \(([\d.,]+) characters.*?\) exceeds maximum allowed tokens\. Output (?:has been )?saved to ([^\n]+)")
POSITIONS = ("startOffset", "offset", "cursor", "page")
SIZES = ("limit", "count")


def units(text):
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or [] if block.get("type") == "text")


def offered(text, name):
    """Whether a page holds the position by which a later call goes on."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    following = document.get("next") if isinstance(document, dict) else None
    return following.get(name) if isinstance(following, dict) else None


def main():
    count = collections.Counter()
    sizes, refused, shown = [], None, None
    seen_calls = set()
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.jsonl")):
        records, calls, sent, chains, saved = set(), {}, {}, {}, []
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    record = json.loads(line)
                except ValueError:
                    count["bad_lines"] += 1
                    continue
                uuid = record.get("uuid")
                if uuid is not None:
                    if uuid in records:
                        continue
                    records.add(uuid)
                content = (record.get("message") or {}).get("content")
                if record["type"] == "user" and isinstance(content, str):
                    sent, chains, saved = {}, {}, []
                for block in content if isinstance(content, list) else []:
                    if block["type"] == "tool_use" and block["name"].startswith("mcp__"):
                        if block["id"] not in seen_calls:
                            seen_calls.add(block["id"])
                            calls[block["id"]] = (block["name"], block["input"])
                            count["calls"] += 1
                    elif block["type"] == "tool_use":
                        arguments = json.dumps(block["input"])
                        count["spill_reads"] += any(file in arguments for file in saved)
                    elif block["type"] == "tool_result" and block["tool_use_id"] in calls:
                        name, arguments = calls[block["tool_use_id"]]
                        count["results"] += 1
                        text = text_of(block["content"])
                        identity = (name, *sorted((k, str(v)) for k, v in arguments.items() if k not in POSITIONS + SIZES))
                        request = (name, json.dumps(arguments, sort_keys=True))
                        chain = chains.get(identity, [])
                        position = next((k for k in POSITIONS if k in arguments), None)
                        carries = position is not None and any(offered(page, position) == arguments[position] for page in chain)
                        count["continuation_reads"] += carries and request not in sent
                        count["repeated_reads"] += request in sent
                        count["stuck_reads"] += sent.get(request) == text
                        notice = SAVED.match(text)
                        if notice:
                            size = int(re.sub(r"\D", "", notice[1]))
                            saved.append(notice[2].rstrip().removesuffix("."))
                            count["oversized"] += 1
                            refused = size if refused is None else min(refused, size)
                            sizes.append(size)
                        elif block.get("is_error"):
                            count["errors"] += 1
                            chains.pop(identity, None)
                        else:
                            size = units(text)
                            shown = size if shown is None else max(shown, size)
                            sizes.append(size)
                            chains.setdefault(identity, []).append(text)
                        sent[request] = text
    names = ("calls", "results", "errors", "oversized", "continuation_reads", "spill_reads", "repeated_reads", "stuck_reads")
    numbers = {name: count[name] for name in names}
    sizes.sort()
    numbers |= {"largest_shown": shown, "smallest_refused": refused, "size_p50": sizes[-(-len(sizes) * 50 // 100) - 1] if sizes else None}
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
