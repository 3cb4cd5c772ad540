import type { JsonObject } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { sameValue } from '../json/same-value.ts'
import { completeResource } from '../resource/complete-resource.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import type { AppliedTolerance } from '../tolerance/tolerance.ts'
import { applyAssignment } from './apply-assignment.ts'
import type { Assignment } from './assignment.ts'
import { assignmentsOf } from './assignments-of.ts'
import { joinAssignments } from './join-assignments.ts'
import type { PatchOperation } from './patch-operation.ts'
import { valuesLookedAt } from './values-looked-at.ts'

/** What a PATCH makes of a resource. */
export interface PatchResult {
  readonly resource: JsonObject
  /** False when the resource is what it was; then it is the same object, and neither version nor date may move. */
  readonly changed: boolean
  /** What was tolerated since the reading was opened. */
  readonly applied: readonly AppliedTolerance[]
}

/**
 * Applies operations in order, to a copy (RFC 7644 §3.5.2): all of them or, when it throws, none.
 * @throws ScimError invalidPath, invalidFilter — the reasons of `resolvePath`; noTarget — reason `path_no_match`;
 * mutability — reasons `attribute_read_only`, `attribute_immutable`, `attribute_required`; invalidValue — the reasons of
 * `readValue`, and `value_missing`; invalidSyntax — reasons `remove_with_value`, `attribute_unknown`, `member_repeated`;
 * 413 — reason `operations_too_many`.
 */
export function applyPatch(
  resource: JsonObject,
  operations: readonly PatchOperation[],
  reading: ParseContext,
): PatchResult {
  const assignments = operations.flatMap((operation) => assignmentsOf(operation, reading))
  return applyAssignments(resource, assignments, reading)
}

/** The same, once it is known what the operations do attribute by attribute. */
export function applyAssignments(
  resource: JsonObject,
  assignments: readonly Assignment[],
  reading: ParseContext,
): PatchResult {
  const patched = applyAll(resource, joinAssignments(assignments), reading)
  const complete = completeResource(patched, reading.resourceType)
  const changed = !sameValue(resource, complete)
  return { resource: changed ? complete : resource, changed, applied: reading.tolerances.applied() }
}

function applyAll(
  resource: JsonObject,
  assignments: readonly Assignment[],
  { tolerances: tally }: ParseContext,
): JsonObject {
  let draft = resource
  let values = 0
  for (const assignment of assignments) {
    values += valuesLookedAt(draft, assignment)
    // RFC 9110 §15.5.14: each operation goes through the whole list that it changes, and everybody else waits.
    if (values > maximumValues) throw refusal('operations_too_many')
    draft = applyAssignment(draft, assignment, tally)
  }
  return draft
}

/** Values gone through in one request, about half a second of work. */
const maximumValues = 1_000_000
