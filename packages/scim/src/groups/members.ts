import type {
  GroupMember,
  GroupRecord,
  JsonValue,
  MemberChange,
  ResolvedFilter,
  ScimStorage,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { applyAssignments } from '../patch/apply-patch.ts'
import { assignValue, parseListedElements } from '../patch/assign-value.ts'
import type { Assignment } from '../patch/assignments.ts'
import { nameKey } from '../schema/schema.ts'
import type { ParseContext, ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { isArray, isObject, getMember } from '../values/json.ts'
import { groupDocument, type GroupWrite } from './write-group.ts'

/**
 * What a PATCH makes of a group (RFC 7644 §3.5.2), with its members as a change and not as a list: a group of ten thousand is not
 * read because one of them leaves. Only operations that cannot be understood otherwise read who is there.
 */
export async function planGroupPatch(
  group: GroupRecord,
  assignments: readonly Assignment[],
  { parseContext, storage }: { readonly parseContext: ParseContext; readonly storage: ScimStorage },
): Promise<GroupWrite> {
  const attribute = parseContext.resourceType.attributesByName.get('members')
  const ofMembers = assignments.filter(({ target }) => target.attribute === attribute)
  if (ofMembers.some(needsCurrentMembers)) {
    const document = groupDocument(group, await loadAllMembers(group, { storage }))
    const { resource } = applyAssignments(document, assignments, parseContext)
    return {
      document: resource,
      members: { kind: 'replace', memberIds: readMemberIds(getMember(resource, 'members')) },
      readAt: group.version,
    }
  }
  const others = assignments.filter(({ target }) => target.attribute !== attribute)
  const { resource } = applyAssignments(groupDocument(group), others, parseContext)
  return { document: resource, members: planMemberChange(ofMembers, parseContext.tolerances), readAt: undefined }
}

/**
 * Whether an operation on members can only be understood by looking at who is there: it selects by more than identifiers, is
 * about a part of members, or gives types that those who are there may not have (RFC 7643 §4.2).
 */
function needsCurrentMembers({ op, target, value }: Assignment): boolean {
  const { where, subAttribute } = target
  if (subAttribute !== undefined) return true
  if (where !== undefined) return op !== 'remove' || (value ?? null) !== null || selectedIds(where.filter) === undefined
  return op === 'replace' && includesMemberType(value)
}

/**
 * What operations on members come to, in order, without looking at who is there (RFC 7644 §3.5.2).
 * @param assignments to `members`, none of which `needsMembers`.
 * @returns undefined when nobody comes or goes.
 * @throws ScimError what the same operations are refused with on a resource.
 */
function planMemberChange(assignments: readonly Assignment[], tolerances: ToleranceCounter): MemberChange | undefined {
  const belongs = new Map<string, boolean>()
  let isReplaced = false
  for (const assignment of assignments) {
    const { kind, ids } = stepOf(assignment, tolerances)
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

function stepOf({ op, target, value }: Assignment, tolerances: ToleranceCounter): Step {
  const { attribute, where } = target
  if (where !== undefined) return { kind: 'leave', ids: selectedIds(where.filter) ?? [] }
  if (op === 'remove' && (value ?? null) !== null) {
    const listed = parseListedElements(attribute, { value: value ?? null, tolerances })
    return { kind: 'leave', ids: listed.flatMap((element) => memberIdOf(element) ?? []) }
  }
  // What the value makes of an empty list is who joins, or who is left.
  const given = readMemberIds(assignValue(attribute, undefined, { op, value, tolerances }))
  return { kind: op === 'add' ? 'join' : 'replace', ids: given }
}

/** Whom a filter selects that says nothing but who: `value eq "u1" or value eq "u2"`. Undefined for any other. */
function selectedIds(filter: ResolvedFilter): readonly string[] | undefined {
  if (filter.kind === 'text' && filter.operator === 'eq' && filter.attribute.name === 'value') return [filter.value]
  if (filter.kind !== 'or') return undefined
  const selected = filter.operands.map(selectedIds)
  return selected.some((ids) => ids === undefined) ? undefined : selected.flatMap((ids) => ids ?? [])
}

/** Whether members are given with a type, at whatever depth a tolerance may find them. */
export function includesMemberType(members: JsonValue | undefined): boolean {
  if (isArray(members)) return members.some(includesMemberType)
  return (
    isObject(members) &&
    Object.entries(members).some(([name, value]) => nameKey(name) === 'type' || includesMemberType(value))
  )
}

/**
 * Who is to be in a group: the `value` of each of its members (RFC 7643 §4.2). Their type is not looked at: who it is says it.
 * @param members as `readValue` reads them.
 * @throws ScimError invalidValue — reason `value_required`.
 */
export function readMemberIds(members: JsonValue | undefined): readonly string[] {
  const elements = isArray(members) ? members : []
  return elements.map((element) => {
    const id = memberIdOf(element)
    // RFC 7643 §4.2: without a value it is nobody.
    if (id === undefined) throw refusal('value_required', { attribute: 'members.value' })
    return id
  })
}

/** Whom a member names; undefined for nobody. */
function memberIdOf(element: JsonValue): string | undefined {
  const value = isObject(element) ? getMember(element, 'value') : undefined
  return typeof value === 'string' ? value : undefined
}

/** Everybody in one group. For an answer there is `loadMembers`, which may read nothing. */
export async function loadAllMembers(
  { providerId, groupId }: GroupRecord,
  { storage }: { readonly storage: ScimStorage },
): Promise<readonly GroupMember[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return members.get(groupId) ?? []
}
