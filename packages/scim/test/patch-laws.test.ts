import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupResourceType, userResourceType, type ResourceType } from '../src/index.ts'
import { allTolerances, strictTolerances } from '../src/tolerance/tolerances.ts'
import { createParseContext } from '../src/schema/parse-context.ts'
import { parseResource } from '../src/resource/parse-resource.ts'
import { parseProjection, projectResource } from '../src/resource/resource.ts'
import { parsePatch, parsePath } from '../src/patch/parse-patch.ts'
import { applyPatch } from '../src/patch/apply-patch.ts'
import {
  aHostileName,
  aHostileValue,
  aPatchedUser,
  aPlainOperation,
  toOperation,
} from './arbitraries/patch-operations.ts'
import { aNearlyValidFilter } from './arbitraries/filter-text.ts'
import { enterprise } from './arbitraries/user-and-filter.ts'
import { countFunctionCalls } from './fixtures/function-calls.ts'
import { NaiveRefusal, naivePatch } from './fixtures/naive-patch.ts'
import { outcomeOf } from './fixtures/outcome-of.ts'
import { summarizeRefusal } from './fixtures/refused.ts'
import { expectPrototypesUntouched } from './fixtures/prototypes-untouched.ts'
import { rounds } from '../../../test/support/rounds.ts'

const message = (Operations: JsonValue) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })

function patch(
  resource: JsonObject,
  operations: readonly JsonValue[],
  tolerances = strictTolerances,
  type: ResourceType = userResourceType,
) {
  const context = createParseContext(type, tolerances)
  return applyPatch(resource, parsePatch(message(operations), context.tolerances), context)
}

test('law: PATCH has the same outcome as a naive model, including refusals', () => {
  const seen = { agreed: 0, refused: 0 }
  fc.assert(
    fc.property(aPatchedUser(), fc.array(aPlainOperation(), { minLength: 1, maxLength: 5 }), (user, operations) => {
      const outcome = outcomeOf(() => patch(deeplyFrozen(user), operations.map(toOperation)))
      const expected = undefinedIfRefused(() => naivePatch(user, operations))
      if (expected === undefined || 'refusal' in outcome) {
        expect('refusal' in outcome).toBe(expected === undefined)
        seen.refused += 1
        return
      }
      seen.agreed += 1
      expect(comparable(outcome.value.resource)).toEqual(comparable(expected))
      expect(outcome.value.changed).toBe(JSON.stringify(comparable(expected)) !== JSON.stringify(comparable(user)))
    }),
    { numRuns: rounds({ fast: 500, long: 5000 }) },
  )
  expect(seen.agreed).toBeGreaterThan(rounds({ fast: 100, long: 1000 }))
  expect(seen.refused).toBeGreaterThan(rounds({ fast: 50, long: 500 }))
})

test('law: an unchanged resource is the same object, and a repeated add changes nothing', () => {
  fc.assert(
    fc.property(aPatchedUser(), aPlainOperation(), (user, operation) => {
      fc.pre(
        (operation.kind === 'set' || operation.kind === 'merge' || operation.kind === 'list') && operation.op === 'add',
      )
      const first = outcomeOf(() => patch(user, [toOperation(operation)]))
      if ('refusal' in first) return

      const again = patch(first.value.resource, [toOperation(operation)])

      expect(again.changed).toBe(false)
      expect(again.resource).toBe(first.value.resource)
      if (!first.value.changed) expect(first.value.resource).toBe(user)
    }),
    { numRuns: rounds({ fast: 200, long: 1000 }) },
  )
})

test('law: operations of one request have the same outcome as one request per operation', () => {
  const member = fc.record({ value: fc.constantFrom('u1', 'u2', 'u3', 'u4'), type: fc.constantFrom('User', null) })
  const delta = fc.oneof(
    member.map((one) => ({ op: 'add', path: 'members', value: [one] })),
    member.map((one) => ({ op: 'add', path: 'members', value: one })),
    member.map(({ value }) => ({ op: 'remove', path: `members[value eq "${value}"]` })),
    fc.constant({ op: 'remove', path: 'members[type pr]' }),
    fc.constant({ op: 'remove', path: 'members' }),
  )
  const group: JsonObject = {
    schemas: [groupResourceType.schema.id],
    id: 'g',
    displayName: 'Ops',
    members: [{ value: 'u1' }, { value: 'u2' }],
  }
  const applyAll = (resource: JsonObject, operations: readonly JsonObject[]) =>
    patch(resource, operations, strictTolerances, groupResourceType).resource

  fc.assert(
    fc.property(fc.array(delta, { minLength: 1, maxLength: 8 }), (operations) => {
      expect(applyAll(group, operations)).toEqual(
        operations.reduce((resource, operation) => applyAll(resource, [operation]), group),
      )
    }),
    { numRuns: rounds({ fast: 200, long: 1000 }) },
  )
})

test('law: additions commute, and so do additions and removals of different members', () => {
  const member = fc.constantFrom('u1', 'u2', 'u3', 'u4').map((value) => ({ value }))
  const delta = fc.oneof(
    member.map((one) => ({ op: 'add', path: 'members', value: [one] })),
    member.map(({ value }) => ({ op: 'remove', path: `members[value eq "${value}"]` })),
  )
  const group = {
    schemas: [groupResourceType.schema.id],
    id: 'g',
    displayName: 'Ops',
    members: [{ value: 'u1' }, { value: 'u2' }],
  }
  const members = (operations: readonly JsonObject[]) =>
    ((patch(group, operations, strictTolerances, groupResourceType).resource['members'] ?? []) as readonly JsonObject[])
      .map(({ value }) => JSON.stringify(value))
      .toSorted()

  fc.assert(
    fc.property(delta, delta, (one, other) => {
      fc.pre(one.op === other.op || !JSON.stringify(other).includes(/u\d/.exec(JSON.stringify(one))?.[0] ?? ''))

      expect(members([one, other])).toEqual(members([other, one]))
    }),
  )
})

test('law: hostile paths, keys and values yield a resource of the schema or a ScimError, and change no prototype', () => {
  const operation = fc.record(
    {
      op: fc.constantFrom<JsonValue>('add', 'replace', 'Remove', 'x', null),
      path: fc.option(aHostileName(), { nil: undefined }),
      value: aHostileValue(),
    },
    { requiredKeys: ['op'] },
  )
  const user = {
    schemas: [userResourceType.schema.id],
    id: 'usr_1',
    userName: 'kim',
    emails: [{ value: 'a', type: 'a' }],
    name: { givenName: 'K' },
  }
  expectPrototypesUntouched(() => {
    fc.assert(
      fc.property(
        fc.array(operation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(allTolerances, strictTolerances),
        (operations, tolerances) => {
          const outcome = outcomeOf(() => patch(user, operations as unknown as JsonValue[], tolerances))
          if ('refusal' in outcome) {
            expect([400, 413]).toContain(outcome.refusal.status)
            return
          }
          expectDefinedAttributesOnly(outcome.value.resource)
        },
      ),
      { numRuns: rounds({ fast: 500, long: 5000 }) },
    )
  })
})

test('law: hostile bodies yield a resource of the schema or a ScimError, and change no prototype', () => {
  expectPrototypesUntouched(() => {
    fc.assert(
      fc.property(aHostileValue(), fc.constantFrom(allTolerances, strictTolerances), (body, tolerances) => {
        const given =
          typeof body === 'object' && body !== null && !Array.isArray(body)
            ? Object.assign(Object.create(null) as object, body)
            : body
        const outcome = outcomeOf(() => parseResource(given, createParseContext(userResourceType, tolerances)))
        if ('refusal' in outcome) {
          expect([400, 413]).toContain(outcome.refusal.status)
          return
        }
        expectDefinedAttributesOnly(outcome.value.resource)
      }),
      { numRuns: rounds({ fast: 600, long: 3000 }) },
    )
  })
})

test('law: any string is parsed as a path or refused with invalidPath', () => {
  fc.assert(
    fc.property(fc.oneof(aNearlyValidFilter(), aHostileName()), (text) => {
      const outcome = outcomeOf(() => parsePath(text))
      if ('refusal' in outcome)
        expect(outcome.refusal).toMatchObject({ status: 400, scimType: 'invalidPath', reason: 'path_syntax' })
    }),
    { numRuns: rounds({ fast: 400, long: 2000 }) },
  )
})

// Costs are counted in function calls. Each limit is about twice the measured count; quadratic work would exceed it many times.

const groupOfSize = (size: number): JsonObject => ({
  schemas: [groupResourceType.schema.id],
  id: 'g',
  displayName: 'Ops',
  members: Array.from({ length: size }, (_, index) => ({ value: `user-${index}`, type: 'User' })),
})

const patchGroup = (group: JsonObject, operations: readonly JsonValue[]) =>
  patch(group, operations, strictTolerances, groupResourceType)

test('adds 1,000 members to a group of 10,000 in one operation, at linear cost', () => {
  const group = groupOfSize(10_000)
  const value = Array.from({ length: 1000 }, (_, index) => ({ value: `new-${index}` }))

  expect(countFunctionCalls(() => patchGroup(group, [{ op: 'add', path: 'members', value }]))).toBeLessThan(200_000)
})

test.each([
  ['join', (index: number) => ({ op: 'add', path: 'members', value: [{ value: `new-${index}` }] })],
  ['leave', (index: number) => ({ op: 'remove', path: `members[value eq "user-${index}"]` })],
])('1,000 members %s a group of 10,000, one operation each, at linear cost', (_, operation) => {
  const group = groupOfSize(10_000)
  const operations = Array.from({ length: 1000 }, (__, index) => operation(index))

  expect(countFunctionCalls(() => patchGroup(group, operations))).toBeLessThan(1_000_000)
})

test('refuses operations that would take seconds, after a bounded number of function calls', () => {
  const group = groupOfSize(10_000)
  const operations = Array.from({ length: 1000 }, (_, index) =>
    index % 2 === 0
      ? { op: 'add', path: 'members', value: [{ value: `new-${index}` }] }
      : { op: 'remove', path: `members[value eq "user-${index}"]` },
  )

  const calls = countFunctionCalls(() =>
    expect(summarizeRefusal(() => patchGroup(group, operations))).toBe('413 - operations_too_many'),
  )
  expect(calls).toBeLessThan(30_000_000)
})

test('refuses filters with many parts over many members, after a bounded number of function calls (RFC 7644 §3.12)', () => {
  const group = groupOfSize(100_000)
  const parts = Array.from({ length: 40 }, (_, index) => `value co "${index}z"`).join(' or ')
  const operations = Array.from({ length: 1000 }, () => ({ op: 'remove', path: `members[${parts}]` }))

  const calls = countFunctionCalls(() =>
    expect(summarizeRefusal(() => patchGroup(group, operations))).toBe('413 - operations_too_many'),
  )
  expect(calls).toBeLessThan(4_000_000)
})

test('removes 200 of 20,000 members, five per operation, within the work limit', () => {
  const group = groupOfSize(20_000)
  const operations = Array.from({ length: 1000 }, (_, index) => ({
    op: 'remove',
    path: `members[${[0, 1, 2, 3, 4].map((part) => `value eq "user-${(index % 40) * 5 + part}"`).join(' or ')}]`,
  }))

  expect(patchGroup(group, operations).resource['members']).toHaveLength(19_800)
})

test('the cost of adding a long list of members is linear in its length', () => {
  const cost = (size: number) => {
    const group = groupOfSize(size)
    const value = Array.from({ length: size }, (_, index) => ({ value: `new-${index}` }))
    return countFunctionCalls(() => patchGroup(group, [{ op: 'add', path: 'members', value }]))
  }

  expect(cost(16_000)).toBeLessThan(cost(2000) * 8 * 1.05)
})

function undefinedIfRefused<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof NaiveRefusal) return undefined
    throw error
  }
}

/** Sorts the keys, and the e-mail addresses, whose order is not significant (RFC 7643 §2.4). */
function comparable(user: JsonObject): JsonValue {
  const emails = user['emails'] as readonly JsonObject[] | undefined
  const sorted = emails?.map(sortKeys).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  return sortKeys(JSON.parse(JSON.stringify({ ...user, emails: sorted })) as JsonObject)
}

function sortKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [
        name,
        typeof one === 'object' && one !== null && !Array.isArray(one) ? sortKeys(one as JsonObject) : one,
      ]),
  )
}

/**
 * Expects that a resource contains only attributes that its schemas define: a projection that shows all attributes removes only
 * the attributes that are never returned.
 */
function expectDefinedAttributesOnly(resource: JsonObject): void {
  const shown = projectResource(resource, parseProjection({}, userResourceType))
  const { password: _, ...rest } = resource
  expect(JSON.parse(JSON.stringify(shown))).toEqual(JSON.parse(JSON.stringify(rest)))
  expect(
    Object.keys(resource).every(
      (name) => name === enterprise || userResourceType.attributesByName.has(name.toLowerCase()),
    ),
  ).toBe(true)
}

function deeplyFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deeplyFrozen)
  return Object.freeze(value)
}
