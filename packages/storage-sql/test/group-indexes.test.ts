import { epochSeconds, groupId, type ResolvedFilter } from '@mintmark/storage-interface'
import { aGroup, aGroupState } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, SortKey, TextOperator } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'

import { engines } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const { providerId } = aGroup('any')
const attribute = (name: string, subName?: string): FilterAttribute => ({
  extension: undefined,
  name,
  subName,
  multiValued: false,
})
const text = (name: string, operator: TextOperator, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(name),
  operator,
  value,
})
const changed = (operator: 'ge' | 'lt', at: number): ResolvedFilter => ({
  kind: 'number',
  attribute: attribute('meta', 'lastModified'),
  operator,
  value: at * 1000,
})
const sortedBy = (by: FilterAttribute, direction: SortKey['direction'] = 'ascending'): SortKey => ({
  attribute: by,
  elementPart: undefined,
  direction,
})

const groupSearches: readonly (readonly [string, ResolvedFilter | undefined, SortKey | undefined])[] = [
  ['displayName sw', text('displayName', 'sw', 'team 1'), undefined],
  ['displayName co', text('displayName', 'co', '7'), undefined],
  ['displayName ne', text('displayName', 'ne', 'team 7'), undefined],
  ['displayName ge', text('displayName', 'ge', 'team 5'), undefined],
  ['displayName sw of long names', text('displayName', 'sw', 'zzzz'), undefined],
  ['externalId sw', text('externalId', 'sw', 'external-2'), undefined],
  ['not externalId sw', { kind: 'not', operand: text('externalId', 'sw', 'external-2') }, undefined],
  ['id gt', text('id', 'gt', 'group-4'), undefined],
  ['lastModified ge', changed('ge', 1_800_000_030), undefined],
  [
    'lastModified between',
    { kind: 'and', operands: [changed('ge', 1_800_000_010), changed('lt', 1_800_000_020)] },
    undefined,
  ],
  ['sortBy id', undefined, sortedBy(attribute('id'))],
  ['sortBy id descending', undefined, sortedBy(attribute('id'), 'descending')],
  ['sortBy lastModified', undefined, sortedBy(attribute('meta', 'lastModified'))],
  ['sortBy created descending', undefined, sortedBy(attribute('meta', 'created'), 'descending')],
]

test.for(engines)('on $name finds and sorts more groups by indexes than the scan limit allows', async ({ open }) => {
  const dialect = await open()
  const unlimited = await createSqlStorage({ dialect, issuer })
  const limited = await createSqlStorage({ dialect, issuer, scanLimit: 3 })
  for (let number = 0; number < 60; number += 1) {
    const displayName = number < 2 ? `Zzzz ${number}`.padEnd(300, '-') : `Team ${number}`
    const state = aGroupState(`${number}`, { displayName, comparable: { displayName: displayName.toLowerCase() } })
    const withoutId = number % 5 === 0 ? { ...state, externalId: undefined } : state
    const createdAt = epochSeconds(1_800_000_000 + ((number * 7) % 60))
    await unlimited.groups.insert(
      aGroup(`${number}`, { groupId: groupId(`group-${number}`), state: withoutId, createdAt }),
    )
  }
  const list = (storage: typeof limited, filter: ResolvedFilter | undefined, sort: SortKey | undefined) =>
    storage.groups.list({ providerId, filter, sort, page: { kind: 'index', offset: 0, limit: 100 } })

  for (const [name, filter, sort] of groupSearches) {
    const found = await list(limited, filter, sort)
    const expected = await list(unlimited, filter, sort)
    expect({ name, outcome: found?.outcome }).toEqual({ name, outcome: 'listed' })
    expect(found.outcome === 'listed' && found.records).toEqual(expected.outcome === 'listed' && expected.records)
  }
  // The index shortens two long names, so sorting by names has to read all rows. Without these two, the index has the order.
  expect(await list(limited, undefined, sortedBy(attribute('displayName')))).toEqual({ outcome: 'tooMany' })
  for (const number of [0, 1]) await removeGroup(unlimited, `group-${number}`)
  for (const direction of ['ascending', 'descending'] as const) {
    const found = await list(limited, undefined, sortedBy(attribute('displayName'), direction))
    expect(found).toEqual(await list(unlimited, undefined, sortedBy(attribute('displayName'), direction)))
    expect(found.outcome).toBe('listed')
  }
})

test.for(engines)('on $name finds and sorts resources of custom types by indexes', async ({ open }) => {
  const dialect = await open()
  const unlimited = await createSqlStorage({ dialect, issuer })
  const limited = await createSqlStorage({ dialect, issuer, scanLimit: 3 })
  const resourceType = 'Device'
  for (let number = 0; number < 40; number += 1) {
    const createdAt = epochSeconds(1_800_000_000 + ((number * 7) % 40))
    const state = { externalId: `external-${number}`, resource: {}, comparable: {}, uniqueTexts: [] }
    await unlimited.customResources?.insert({
      providerId,
      resourceType,
      resourceId: `group-${number}`,
      state,
      createdAt,
    })
  }
  const list = (storage: typeof limited, filter: ResolvedFilter | undefined, sort: SortKey | undefined) =>
    storage.customResources?.list({
      providerId,
      resourceType,
      filter,
      sort,
      page: { kind: 'index', offset: 0, limit: 100 },
    })

  for (const [name, filter, sort] of groupSearches.filter(([title]) => !title.startsWith('displayName'))) {
    const found = await list(limited, filter, sort)
    expect({ name, outcome: found?.outcome }).toEqual({ name, outcome: 'listed' })
    expect(found).toEqual({ ...(await list(unlimited, filter, sort)), ...nearLimit(found ?? {}) })
  }
})

const nearLimit = (found: object) => ('isNearLimit' in found ? { isNearLimit: found.isNearLimit } : {})

async function removeGroup(storage: Awaited<ReturnType<typeof createSqlStorage>>, id: string): Promise<void> {
  const now = epochSeconds(1_800_000_100)
  const { outcome } = await storage.groups.remove({ providerId, groupId: groupId(id), version: undefined, now })
  expect(outcome).toBe('removed')
}
