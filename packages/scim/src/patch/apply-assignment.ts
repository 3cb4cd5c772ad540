import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject, memberOf, withMember } from '../json/json-object.ts'
import { sameValue } from '../json/same-value.ts'
import { attributeLabel } from '../schema/find-attribute.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { keepImmutableParts } from '../value/replace-elements.ts'
import { complexOf } from '../value/read-value.ts'
import { assignElements } from './assign-elements.ts'
import { assignValue } from './assign-value.ts'
import type { Assignment } from './assignment.ts'

/** The resource after one assignment; the resource that was given stays as it is. */
export function applyAssignment(resource: JsonObject, assignment: Assignment, tally: ToleranceCounter): JsonObject {
  const { extension, attribute } = assignment.target
  const found = extension === undefined ? resource : memberOf(resource, extension)
  const owner = isObject(found) ? found : {}
  const current = memberOf(owner, attribute.name)
  const next = nextValue(current, assignment, tally)
  if (next === current) return resource

  const changed = withMember(owner, attribute.name, next)
  if (extension === undefined) return changed
  return withMember(resource, extension, Object.keys(changed).length === 0 ? undefined : changed)
}

function nextValue(
  current: JsonValue | undefined,
  assignment: Assignment,
  tally: ToleranceCounter,
): JsonValue | undefined {
  const { attribute, where, subAttribute } = assignment.target
  if (attribute.mutability === 'readOnly' || subAttribute?.mutability === 'readOnly')
    return unchanged(current, assignment)
  if (attribute.multiValued && (where !== undefined || subAttribute !== undefined)) {
    const elements = assignElements(isArray(current) ? current : [], assignment, tally)
    // RFC 7643 §7 mutability: an immutable list has no value edited.
    if (attribute.mutability === 'immutable' && !sameValue(current, elements))
      throw refusal('attribute_immutable', { attribute: attribute.name })
    return elements.length === 0 ? undefined : elements
  }
  if (subAttribute === undefined) return assignValue(attribute, current, { ...assignment, tally })
  return assignPart(current, assignment, tally)
}

/** A part of a complex attribute that has one value (RFC 7644 §3.5.2.1: an absent one is begun with it). */
function assignPart(
  current: JsonValue | undefined,
  assignment: Assignment,
  tally: ToleranceCounter,
): JsonValue | undefined {
  const { attribute, subAttribute } = assignment.target
  const before = isObject(current) ? current : {}
  if (subAttribute === undefined) return current
  const part = assignValue(subAttribute, memberOf(before, subAttribute.name), { ...assignment, tally })
  const after = complexOf(attribute, Object.entries(withMember(before, subAttribute.name, part)))
  return after === undefined ? undefined : keepImmutableParts(attribute, current, after)
}

/** What is read-only may be repeated, as Okta repeats the id of a group, but not changed. */
function unchanged(current: JsonValue | undefined, { op, target, value }: Assignment): JsonValue | undefined {
  const { subAttribute } = target
  const part = subAttribute !== undefined && isObject(current) ? memberOf(current, subAttribute.name) : current
  const repeated = op !== 'remove' && (sameValue(part, value) || (part === undefined && isNothing(value)))
  // RFC 7644 §3.5.2: "mutability" of readOnly.
  if (!repeated) throw refusal('attribute_read_only', { attribute: attributeLabel(target) })
  return current
}

/** RFC 7643 §2.5: null and an empty array are no value. */
const isNothing = (value: JsonValue | undefined): boolean => value === null || (isArray(value) && value.length === 0)
