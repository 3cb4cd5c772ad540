import { epochSeconds, type ResolvedFilter, userId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, ListPage, SortKey, TextOperator } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'

import { declaredAttributes } from './support/declared-attributes.ts'
import { engines } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const { providerId } = aProvisionedUser('any')
const start = 1_800_000_000

const attribute = (path: string): FilterAttribute => {
  const [name = '', subName] = path.split('.')
  return { extension: undefined, name, subName, multiValued: false }
}
const text = (path: string, operator: TextOperator, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(path),
  operator,
  value,
})
const isActive: ResolvedFilter = { kind: 'boolean', attribute: attribute('active'), operator: 'eq', value: true }
const time = (path: string, operator: 'ge' | 'lt', at: number): ResolvedFilter => ({
  kind: 'number',
  attribute: attribute(path),
  operator,
  value: (start + at) * 1000,
})
const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })

const isMember = (group: string, operator: TextOperator = 'eq'): ResolvedFilter => ({
  kind: 'element',
  attribute: { ...attribute('groups'), multiValued: true },
  where: text('value', operator, group),
})

const filters: Readonly<Record<string, ResolvedFilter>> = {
  'active eq true': isActive,
  'lastModified ge': time('meta.lastModified', 'ge', 10),
  'created ge': time('meta.created', 'ge', 10),
  'userName sw': text('userName', 'sw', 'user 1'),
  'userName co and active': and(text('userName', 'co', '1'), isActive),
  'userName sw and active and displayName ne': and(
    text('userName', 'sw', 'user'),
    isActive,
    text('displayName', 'ne', 'name 3'),
  ),
  'lastModified and userName sw': and(time('meta.lastModified', 'lt', 40), text('userName', 'sw', 'user')),
  'groups.value eq': isMember('group-0'),
  'groups.value eq, twice, and active': and(isMember('group-0'), isActive, isMember('group-1')),
  'not active and displayName co': and({ kind: 'not', operand: isActive }, text('displayName', 'co', 'name')),
}

test.for(engines)(
  'on $name filters by several indexes and sorts by another, with more users than the scan limit allows',
  { timeout: 180_000 },
  async ({ open }) => {
    const dialect = await open()
    const unlimited = await createSqlStorage({ dialect, issuer })
    const limited = await createSqlStorage({ dialect, issuer, scanLimit: 4 })
    await limited.provisionedUsers.indexAttributes(declaredAttributes)
    const insert = (number: number, userName: string) =>
      unlimited.provisionedUsers.insert(
        aProvisionedUser(`${number}`, {
          userId: userId(`user-${(number * 11) % 61}`),
          createdAt: epochSeconds(start + ((number * 7) % 60)),
          state: aProvisionedState(`${number}`, {
            active: number % 4 > 0,
            comparable: {
              userName,
              displayName: `name ${number % 5}`,
              emails: [{ value: `${number % 7}@example.com` }],
            },
          }),
        }),
      )
    for (let number = 0; number < 60; number += 1) await insert(number, `user ${number}`)
    for (const [label, step] of [
      ['0', 2],
      ['1', 3],
    ] as const) {
      const memberIds = Array.from({ length: 15 }, (_, index) => `user-${index * step}`)
      await unlimited.groups.insert(aGroup(label, { memberIds }))
    }
    const list = (storage: typeof limited, filter: ResolvedFilter, sort: SortKey | undefined, page: ListPage) =>
      storage.provisionedUsers.list({ providerId, filter, sort, page })
    const sorts = ['userName', 'displayName', 'id', 'meta.created', 'meta.lastModified'].flatMap((path) =>
      (['ascending', 'descending'] as const).map((direction): SortKey => ({
        attribute: attribute(path),
        elementPart: undefined,
        direction,
      })),
    )
    sorts.push({
      attribute: { ...attribute('emails'), multiValued: true },
      elementPart: 'value',
      direction: 'descending',
    })

    for (const [name, filter] of Object.entries(filters)) {
      for (const sort of [undefined, ...sorts]) {
        const page = { kind: 'index', offset: 7, limit: 5 } as const
        const found = await list(limited, filter, sort, page)
        const expected = await list(unlimited, filter, sort, page)
        expect({ name, sort, outcome: found.outcome }).toEqual({ name, sort, outcome: 'listed' })
        expect({ name, sort, ...found, isNearLimit: false }).toEqual({ name, sort, ...expected, isNearLimit: false })
      }
      const first = await list(limited, filter, undefined, { kind: 'cursor', after: undefined, limit: 4 })
      const after = first.outcome === 'listed' ? first.next : undefined
      const page = { kind: 'cursor', after, limit: 4 } as const
      expect({ ...(await list(limited, filter, undefined, page)), isNearLimit: false }).toEqual({
        ...(await list(unlimited, filter, undefined, page)),
        isNearLimit: false,
      })
    }

    // There is no index for parts of the identifiers of groups.
    const firstPage = { kind: 'index', offset: 0, limit: 5 } as const
    expect(await list(limited, isMember('group-', 'sw'), undefined, firstPage)).toEqual({ outcome: 'tooMany' })

    // An index contains only the beginning of a long string.
    await insert(60, 'user'.padEnd(300, '-'))
    const sorted = { attribute: attribute('userName'), elementPart: undefined, direction: 'ascending' } as const
    expect(await list(limited, isActive, sorted, firstPage)).toEqual({ outcome: 'tooMany' })
    expect(await list(unlimited, isActive, sorted, firstPage)).toMatchObject({ outcome: 'listed', total: 45 })
  },
)
