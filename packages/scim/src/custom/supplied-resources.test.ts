import { providerId, type ResolvedFilter } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { parseProjection } from '../resource/resource.ts'
import { oktaRoleResourceType } from '../schema/okta-schema.ts'
import { suppliedType } from './supplied-resources.ts'

const roles = Array.from({ length: 10_000 }, (_, number) => ({ id: `role-${number}`, displayName: `Role ${number}` }))

const searched = (count: number, operator: 'co' | 'eq'): ResolvedFilter => ({
  kind: 'or',
  operands: Array.from({ length: count }, (_, number) => ({
    kind: 'text',
    attribute: { extension: undefined, name: 'id', subName: undefined, multiValued: false },
    operator,
    value: `role-${number}`,
  })),
})

function start() {
  const turns = { hasEnded: () => true, taken: 0, next: () => Promise.resolve(void (turns.taken += 1)) }
  const { listed } = suppliedType({ resourceType: oktaRoleResourceType, resources: () => roles })
  const renderContext = {
    projection: parseProjection({ attributes: undefined, excludedAttributes: undefined }, listed.resourceType),
    baseUrl: 'https://as.test',
    waitForRoom: () => Promise.resolve(),
    turns,
    signal: undefined,
  }
  const list = (filter: ResolvedFilter) =>
    listed.list(
      { providerId: providerId('p'), filter, sort: undefined, page: { kind: 'index', offset: 0, limit: 1 } },
      renderContext,
    )
  return { turns, list }
}

test('lets other requests run after each resource that is checked or compared', async () => {
  const { turns, list } = start()

  const outcome = await list(searched(3, 'eq'))

  expect(outcome).toMatchObject({ outcome: 'listed', total: 3 })
  expect(turns.taken).toBe(2 * roles.length)
})

test('rejects a filter with too many comparisons before any resource is compared (RFC 7644 §3.12)', async () => {
  const { turns, list } = start()

  expect(await list(searched(21, 'co'))).toEqual({ outcome: 'tooMany' })
  expect(turns.taken).toBe(roles.length)
  expect(await list(searched(20, 'co'))).toMatchObject({ outcome: 'listed' })
  // Equalities are looked up together.
  expect(await list(searched(500, 'eq'))).toMatchObject({ outcome: 'listed', total: 500 })
})
