import type { Pieces } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { applyAssignments } from '../patch/apply-patch.ts'
import { type PatchOperation, toAssignments } from '../patch/parse-patch.ts'
import { replaceResourceInPieces } from '../resource/replace-resource.ts'
import { groupResourceType } from '../schema/group-schema.ts'
import { createWorkBudget } from '../limits/work-budget.ts'
import { defaultLimits } from '../limits/scim-limits.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import { toObject } from '../values/json.ts'
import { includesMemberType, readMemberIds } from './members.ts'
import { memberElements } from './write-group.ts'

// Directories may send the type of each member, which the server compares with that of the current member.

const count = 10_000
/** A loop over all members takes so many pieces. */
const loop = count / 100

const membersFrom = (first: number): readonly JsonValue[] =>
  Array.from({ length: count }, (_, index) => ({ value: `user-${first + index}`, type: 'User' }))

const group = (members: readonly JsonValue[]): JsonObject =>
  toObject([
    ['schemas', ['urn:ietf:params:scim:schemas:core:2.0:Group']],
    ['displayName', 'Staff'],
    ['members', members],
  ])

const patch = (operation: PatchOperation): Pieces<unknown> => {
  const context = createParseContext(groupResourceType, tolerancesOf('entra'))
  const work = createWorkBudget(defaultLimits.work)
  return applyAssignments(group(membersFrom(0)), toAssignments(operation, context), { ...context, work })
}

const put = (members: readonly JsonValue[]): Pieces<unknown> =>
  replaceResourceInPieces(group(membersFrom(0)), group(members), groupResourceType)

test.each<[string, number, () => Pieces<unknown>]>([
  [
    'a PATCH that replaces all with the same',
    6,
    () => patch({ op: 'replace', path: 'members', value: membersFrom(0) }),
  ],
  [
    'a PATCH that replaces all with others',
    4,
    () => patch({ op: 'replace', path: 'members', value: membersFrom(count) }),
  ],
  ['a PATCH that adds others', 4, () => patch({ op: 'add', path: 'members', value: membersFrom(count) })],
  ['a PATCH of the type of each', 2, () => patch({ op: 'replace', path: 'members.type', value: 'User' })],
  [
    'a PATCH that lists members to remove',
    4,
    () => patch({ op: 'remove', path: 'members', value: membersFrom(count) }),
  ],
  ['a PUT of the same', 4, () => put(membersFrom(0))],
  ['a PUT of others', 2, () => put(membersFrom(count))],
  ['a search for types', 1, () => includesMemberType(membersFrom(0).map(() => ({ value: 'user' })))],
  ['reading the ids', 1, () => readMemberIds(membersFrom(0))],
  [
    'reading the current members',
    1,
    () => memberElements(Array.from({ length: count }, () => ({ memberId: 'user', type: 'User' }))),
  ],
])('processes typed members in pieces of 100: %s', (_, loops, work) => {
  expect([...work()].length).toBeGreaterThanOrEqual(loops * loop)
})
