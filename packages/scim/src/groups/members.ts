import { mapInPieces, type Pieces, runInTurns, type Turns } from '@mintmark/internal'
import type { JsonObject, JsonValue, ResolvedFilter, ScimStorage } from '@mintmark/storage-interface'
import {
  comparisonsOf,
  type GroupMember,
  type GroupRecord,
  type MemberChange,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { selectInPieces } from '../filter/select-in-pieces.ts'
import { applyAssignments, operandsOf } from '../patch/apply-patch.ts'
import { assignValueInPieces, parseListedElements } from '../patch/assign-value.ts'
import type { Assignment } from '../patch/parse-patch.ts'
import type { PatchContext } from '../patch/parse-patch.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { getMember, isArray, isObject } from '../values/json.ts'
import { withReferencedIds } from '../values/member-reference.ts'
import { groupDocument, type GroupWrite, memberElements } from './write-group.ts'
import { readElementsInPieces } from '../resource/read-value.ts'
import { foldCase, nameKey } from '../values/text.ts'

/**
 * Plans the write of a PATCH (RFC 7644 §3.5.2). Membership changes are expressed as a delta, so that removing one
 * member does not read a group of ten thousand. The current members are read only for operations that depend on them.
 */
export async function planGroupPatch(
  group: GroupRecord,
  assignments: readonly Assignment[],
  { context, storage, turns }: PlanContext,
): Promise<GroupWrite> {
  const attribute = context.resourceType.attributesByName.get('members')
  // An extension may share the attribute.
  const assignsMembers = ({ target }: Assignment) => target.extension === undefined && target.attribute === attribute
  const named: Assignment[] = []
  for (const assignment of assignments)
    named.push(assignsMembers(assignment) ? await nameMembers(assignment, { context, turns }) : assignment)
  const memberAssignments = named.filter(assignsMembers)
  const otherAssignments = assignments.filter((assignment) => !assignsMembers(assignment))
  if (await runInTurns(needCurrentMembers(memberAssignments), turns)) {
    requireKnownTypes(memberAssignments)
    const removals = memberAssignments.every(isRemovalByFilter) ? memberAssignments : undefined
    await chargeForMembers(group, removals, { context, storage })
    const members = await loadAllMembers(group, { storage })
    if (removals !== undefined) {
      const { resource } = await runInTurns(applyAssignments(groupDocument(group), otherAssignments, context), turns)
      const removedIds = await runInTurns(selectMembers(members, removals), turns)
      return { document: resource, members: { kind: 'delta', add: [], remove: removedIds }, readAt: group.version }
    }
    const document = groupDocument(group, await runInTurns(memberElements(members), turns))
    const { resource } = await runInTurns(applyAssignments(document, named, context), turns)
    return {
      document: resource,
      members: { kind: 'replace', memberIds: await runInTurns(readMemberIds(getMember(resource, 'members')), turns) },
      readAt: group.version,
    }
  }
  const { resource } = await runInTurns(applyAssignments(groupDocument(group), otherAssignments, context), turns)
  const members = await runInTurns(planMemberChange(memberAssignments, context.tolerances), turns)
  return { document: resource, members, readAt: undefined }
}

/**
 * Refuses to select members by their type after members were added in the same request: storage determines the type of
 * a new member when the request is written, so the selection would skip it with success.
 */
function requireKnownTypes(assignments: readonly Assignment[]): void {
  const added = assignments.findIndex(({ op }) => op !== 'remove')
  // RFC 7644 §3.5.2: operations apply in order.
  if (added !== -1 && assignments.slice(added + 1).some(selectsByType))
    throw refuse('filter_attribute_unsearchable', { attribute: 'members.type' })
}

const selectsByType = ({ target: { where } }: Assignment): boolean => where !== undefined && testsType(where.filter)

const testsType = (filter: ResolvedFilter): boolean => JSON.stringify(filter).includes('"type"')

/** Gives the members that an assignment names by `$ref` their ids. */
async function nameMembers(
  assignment: Assignment,
  { context: { baseUrl }, turns }: Pick<PlanContext, 'context' | 'turns'>,
): Promise<Assignment> {
  const { value } = assignment
  if (value === undefined || baseUrl === undefined) return assignment
  return { ...assignment, value: await runInTurns(withReferencedIds(value, baseUrl), turns) }
}

interface PlanContext {
  readonly context: PatchContext
  readonly storage: ScimStorage
  readonly turns: Turns
}

/**
 * Charges the work budget for the members of a group before they are read. Twelve comparisons cost about as much as
 * reading a member.
 * @throws ScimError 413 (RFC 9110 §15.5.14) — reason `operations_too_many`.
 */
async function chargeForMembers(
  { providerId, groupId }: GroupRecord,
  removals: readonly Assignment[] | undefined,
  { context, storage }: Pick<PlanContext, 'context' | 'storage'>,
): Promise<void> {
  const { work } = context
  const comparisons = (removals ?? []).flatMap(({ target }) => target.where?.filter ?? []).map(comparisonsPerMember)
  const perMember = 1 + comparisons.reduce((sum, each) => sum + each, 0) / 12
  const atMost = Math.ceil(work.left() / perMember) + 1
  const members = await storage.groups.countMembers(providerId, [groupId], atMost)
  if (!work.spend(1 + members * perMember)) throw refuse('operations_too_many')
}

const comparisonsPerMember = (filter: ResolvedFilter): number =>
  comparisonsOf(filter, { list: 0, equalities: 'together' })

/** Returns whether an operation removes whole members that a filter selects. */
const isRemovalByFilter = ({ op, target: { where, subAttribute }, value }: Assignment): boolean =>
  op === 'remove' && where !== undefined && subAttribute === undefined && (value ?? null) === null

/** Returns the ids of the members that any of the removals selects. */
function* selectMembers(members: readonly GroupMember[], removals: readonly Assignment[]): Pieces<readonly string[]> {
  const operands = removals.flatMap(({ target }) => operandsOf(target.where?.filter))
  yield
  const selected = yield* selectInPieces(members, { kind: 'or', operands }, comparableMember)
  return Array.from(selected, ({ memberId }) => memberId)
}

const membersInPiece = 100

const comparableMember = ({ memberId, type }: GroupMember): JsonObject => ({ value: memberId, type: foldCase(type) })

function* needCurrentMembers(assignments: readonly Assignment[]): Pieces<boolean> {
  for (const assignment of assignments) {
    if (yield* needsCurrentMembers(assignment)) return true
    yield
  }
  return false
}

/**
 * Returns whether an operation on members depends on the current members: it selects by more than ids, targets a
 * sub-attribute, or states types, which may differ from those of existing members (RFC 7643 §4.2).
 */
function* needsCurrentMembers({ op, target, value }: Assignment): Pieces<boolean> {
  const { where, subAttribute } = target
  if (subAttribute !== undefined) return true
  if (where !== undefined) return op !== 'remove' || (value ?? null) !== null || selectedIds(where.filter) === undefined
  return op === 'replace' && (yield* includesMemberType(value))
}

/**
 * Combines operations on members to one membership change, without reading the current members (RFC 7644 §3.5.2).
 * @param assignments assignments to `members` for which `needsCurrentMembers` is false.
 * @returns undefined when membership does not change.
 * @throws ScimError the reasons of `applyPatch`.
 */
function* planMemberChange(
  assignments: readonly Assignment[],
  tolerances: ToleranceCounter,
): Pieces<MemberChange | undefined> {
  const membership = new Map<string, boolean>()
  let isReplaced = false
  for (const assignment of assignments) {
    const { kind, ids } = yield* readStep(assignment, tolerances)
    if (kind === 'replace') {
      membership.clear()
      isReplaced = true
    }
    for (const id of ids) membership.set(id, kind !== 'leave')
    yield
  }
  const add = [...membership.keys()].filter((id) => membership.get(id) === true)
  if (isReplaced) return { kind: 'replace', memberIds: add }
  const remove = [...membership.keys()].filter((id) => membership.get(id) === false)
  return membership.size === 0 ? undefined : { kind: 'delta', add, remove }
}

interface Step {
  readonly kind: 'join' | 'leave' | 'replace'
  readonly ids: readonly string[]
}

function* readStep({ op, target, value }: Assignment, tolerances: ToleranceCounter): Pieces<Step> {
  const { attribute, where } = target
  if (where !== undefined) return { kind: 'leave', ids: selectedIds(where.filter) ?? [] }
  if (op === 'remove' && (value ?? null) !== null) {
    const listed = yield* parseListedElements(attribute, { value: value ?? null, tolerances })
    return { kind: 'leave', ids: listed.flatMap((element) => memberIdOf(element) ?? []) }
  }
  // There may be many members, which are read in pieces. The result is the same as from `assignValue` without current members.
  if (isArray(value)) {
    const listed = yield* readElementsInPieces(attribute, value, tolerances)
    return { kind: op === 'add' ? 'join' : 'replace', ids: yield* readMemberIds(listed) }
  }
  // Applied to an empty list, the value yields the members that are added, or all members after a replace.
  const ids = yield* readMemberIds(yield* assignValueInPieces(attribute, undefined, { op, value, tolerances }))
  return { kind: op === 'add' ? 'join' : 'replace', ids }
}

/**
 * Returns the ids that a filter selects, if it only compares ids: `value eq "u1" or value eq "u2"`. Returns undefined
 * for any other filter.
 */
function selectedIds(filter: ResolvedFilter): readonly string[] | undefined {
  if (filter.kind === 'text' && filter.operator === 'eq' && filter.attribute.name === 'value') return [filter.value]
  if (filter.kind !== 'or') return undefined
  const selected: string[] = []
  for (const operand of filter.operands) {
    const ids = selectedIds(operand)
    if (ids === undefined) return undefined
    for (const id of ids) selected.push(id)
  }
  return selected
}

/** Returns whether a member is given with a type, in lists of any depth, because a tolerance may unwrap a list. */
export function* includesMemberType(members: JsonValue | undefined): Pieces<boolean> {
  if (!isArray(members)) return isObject(members) && Object.keys(members).some((name) => nameKey(name) === 'type')
  for (const [index, member] of members.entries()) {
    if (yield* includesMemberType(member)) return true
    if (index % membersInPiece === membersInPiece - 1) yield
  }
  return false
}

/**
 * Returns the ids of members: the `value` of each (RFC 7643 §4.2). Their type is ignored, because it follows from the
 * id.
 * @param members as parsed by `readValue`.
 * @throws ScimError invalidValue — reason `value_required`.
 */
export function readMemberIds(members: JsonValue | undefined): Pieces<readonly string[]> {
  return mapInPieces(isArray(members) ? members : [], (element) => {
    const id = memberIdOf(element)
    // RFC 7643 §4.2: a member without a value identifies no resource.
    if (id === undefined) throw refuse('value_required', { attribute: 'members.value' })
    return id
  })
}

/** Returns the id of a member; undefined when it has none. */
function memberIdOf(element: JsonValue): string | undefined {
  const value = isObject(element) ? getMember(element, 'value') : undefined
  return typeof value === 'string' ? value : undefined
}

/** Loads all members of a group. Responses use `loadShownMembers`, which reads them only when they are shown. */
export async function loadAllMembers(
  { providerId, groupId }: GroupRecord,
  { storage }: { readonly storage: ScimStorage },
): Promise<readonly GroupMember[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return members.get(groupId) ?? []
}
