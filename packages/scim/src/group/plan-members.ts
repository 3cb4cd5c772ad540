import type { MemberChange, ResolvedFilter } from '@mintmark/storage-interface'

import { assignValue } from '../patch/assign-value.ts'
import type { Assignment } from '../patch/assignment.ts'
import { listedElements } from '../patch/remove-listed.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { givesType } from './gives-type.ts'
import { memberIds, namedIn } from './member-ids.ts'

/**
 * Whether an operation on members can only be understood by looking at who is there: it selects by more than identifiers, is
 * about a part of members, or gives types that those who are there may not have (RFC 7643 §4.2).
 */
export function needsMembers({ op, target, value }: Assignment): boolean {
  const { where, subAttribute } = target
  if (subAttribute !== undefined) return true
  if (where !== undefined) return op !== 'remove' || (value ?? null) !== null || selectedIds(where.filter) === undefined
  return op === 'replace' && givesType(value)
}

/**
 * What operations on members come to, in order, without looking at who is there (RFC 7644 §3.5.2).
 * @param assignments to `members`, none of which `needsMembers`.
 * @returns undefined when nobody comes or goes.
 * @throws ScimError what the same operations are refused with on a resource.
 */
export function planMembers(assignments: readonly Assignment[], tally: ToleranceCounter): MemberChange | undefined {
  const belongs = new Map<string, boolean>()
  let isReplaced = false
  for (const assignment of assignments) {
    const { kind, ids } = stepOf(assignment, tally)
    if (kind === 'replace') {
      belongs.clear()
      isReplaced = true
    }
    for (const id of ids) belongs.set(id, kind !== 'leave')
  }
  const add = [...belongs.keys()].filter((id) => belongs.get(id) === true)
  if (isReplaced) return { kind: 'replace', memberIds: add }
  const remove = [...belongs.keys()].filter((id) => belongs.get(id) === false)
  return belongs.size === 0 ? undefined : { kind: 'delta', add, remove }
}

interface Step {
  readonly kind: 'join' | 'leave' | 'replace'
  readonly ids: readonly string[]
}

function stepOf({ op, target, value }: Assignment, tally: ToleranceCounter): Step {
  const { attribute, where } = target
  if (where !== undefined) return { kind: 'leave', ids: selectedIds(where.filter) ?? [] }
  if (op === 'remove' && (value ?? null) !== null) {
    const listed = listedElements(attribute, { value: value ?? null, tally })
    return { kind: 'leave', ids: listed.flatMap((element) => namedIn(element) ?? []) }
  }
  // What the value makes of an empty list is who joins, or who is left.
  const given = memberIds(assignValue(attribute, undefined, { op, value, tally }))
  return { kind: op === 'add' ? 'join' : 'replace', ids: given }
}

/** Whom a filter selects that says nothing but who: `value eq "u1" or value eq "u2"`. Undefined for any other. */
function selectedIds(filter: ResolvedFilter): readonly string[] | undefined {
  if (filter.kind === 'text' && filter.operator === 'eq' && filter.attribute.name === 'value') return [filter.value]
  if (filter.kind !== 'or') return undefined
  const selected = filter.operands.map(selectedIds)
  return selected.some((ids) => ids === undefined) ? undefined : selected.flatMap((ids) => ids ?? [])
}
