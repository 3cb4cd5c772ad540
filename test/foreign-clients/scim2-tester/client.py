"""Runs scim2-tester and reports its checks in groups by subject. A failed group lists its failures."""
import os
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

from checks import expect, report

groups = {
    "discovery": "reads the configuration, the resource types and the schemas",
    "crud:create": "creates users and groups",
    "crud:read": "reads users and groups",
    "crud:update": "replaces users and groups",
    "patch": "adds, replaces and removes every other attribute with PATCH",
    "crud:delete": "deletes users and groups",
    "misc": "gets an error for an unknown path",
}

http = httpx2.Client(base_url=os.environ["SCIM_URL"], headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"})
results = check_server(SyncSCIMClient(http))
for result in results:
    if result.status is Status.SUCCESS:
        continue
    print(result.status.name, sorted(result.tags), result.title, result.resource_type, result.reason, file=sys.stderr)


def is_about(result, tag):
    return any(name == tag or name.startswith(f"{tag}:") for name in result.tags)


def removes_active(result):
    """Selects the check that is reported separately, so that its expected failure does not hide others."""
    return result.title == "check_remove_attribute" and "'active'" in result.reason


def report_group(title, members):
    bad = [result for result in members if result.status in (Status.ERROR, Status.CRITICAL)]
    reasons = "; ".join(f"{result.resource_type} {result.title}: {result.reason}" for result in bad)
    report(title, lambda: expect(reasons if members else "no check ran", ""))


for tag, title in groups.items():
    report_group(title, [result for result in results if is_about(result, tag) and not removes_active(result)])
report_group("removes `active` with PATCH", [result for result in results if removes_active(result)])
