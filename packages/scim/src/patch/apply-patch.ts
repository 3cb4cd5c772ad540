import type { JsonObject } from '@mintmark/storage-interface'

import { sameValue } from '../json/same-value.ts'
import { completeResource } from '../resource/complete-resource.ts'
import type { Reading } from '../tolerance/reading.ts'
import type { AppliedTolerance } from '../tolerance/tolerance.ts'
import { applyAssignment } from './apply-assignment.ts'
import { assignmentsOf } from './assignments-of.ts'
import type { PatchOperation } from './patch-operation.ts'

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
 * `readValue`, and `value_missing`; invalidSyntax — reasons `remove_with_value`, `attribute_unknown`, `member_repeated`.
 */
export function applyPatch(resource: JsonObject, operations: readonly PatchOperation[], reading: Reading): PatchResult {
  const patched = operations.reduce(
    (draft, operation) =>
      assignmentsOf(operation, reading).reduce((before, assignment) => applyAssignment(before, assignment, reading.tally), draft),
    resource,
  )
  const complete = completeResource(patched, reading.resourceType)
  const changed = !sameValue(resource, complete)
  return { resource: changed ? complete : resource, changed, applied: reading.tally.applied() }
}
