"""tap.py: what the clients in Python share: TAP lines, answers held against the truth, and what was charged.

Each client asks the same question twice, by its own query builder: as ana, who has a budget and no SELECT, and as
registrar, who owns the rows and gets exact answers.
"""
import sys

tests = failures = 0


def ok(good, name, *details):
    global tests, failures
    tests += 1
    failures += not good
    print(f"{'' if good else 'not '}ok {tests} - {name}", flush=True)
    if not good:
        for line in "\n".join(str(d) for d in details).splitlines():
            print("#", line)


def lives(name, action):
    """action() raises nothing; its result, or None."""
    try:
        result = action()
    except Exception as error:
        ok(False, name, error)
        return None
    ok(True, name)
    return result


def near(answer, truth):
    """Equal rows, but that numbers may differ by 5 %: many times the noise of each question here, and less than the
    least mistake (another condition, another column) makes."""
    def same(a, b):
        if isinstance(b, (bool, str, type(None))) or not hasattr(b, "__float__"):
            return a == b
        return a is not None and abs(float(a) - float(b)) <= 0.05 * abs(float(b))
    return len(answer) == len(truth) > 0 and all(
        len(a) == len(b) and all(map(same, a, b)) for a, b in zip(answer, truth))


def answered(name, ask):
    """ask("ana") is near to ask("registrar"); both give rows."""
    try:
        answer, truth = ([tuple(row) for row in ask(role)] for role in ("ana", "registrar"))
    except Exception as error:
        ok(False, name, error)
        return
    ok(near(answer, truth), name, "answer:", answer[:5], "truth:", truth[:5])


def not_charged(name, spent, action, expected=None):
    """action() gives what is expected, and spent(), the price of all releases so far, stays what it was."""
    before = spent()
    try:
        found = action()
    except Exception as error:
        ok(False, name, error)
        return
    after = spent()
    ok(before == after and (expected is None or found == expected), name, f"found {found}", f"charged {before} to {after}")


def done():
    print(f"1..{tests}")
    sys.exit(failures != 0)
