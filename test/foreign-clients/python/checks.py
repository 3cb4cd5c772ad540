"""Exchanges lines with the command that runs the Python programs."""
import json


def report(title, check):
    """Runs a check and reports it."""
    try:
        check()
    except Exception as error:
        print(f"failed {title}: {type(error).__name__} {' '.join(str(error).split())}", flush=True)
    else:
        print(f"passed {title}", flush=True)


def visit(url):
    """Opens an address in the browser of the signed-in user and returns the address of its last page."""
    print(f"visit {url}", flush=True)
    return json.loads(input())["url"]


def expect(actual, expected):
    """Raises an error unless both values are equal."""
    if actual != expected:
        raise AssertionError(f"{actual!r} instead of {expected!r}")
