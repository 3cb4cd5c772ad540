import { after, epochSeconds, seconds } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { ListPage } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { engines } from './support/migrated-dialects.ts'

describe.each(engines)('positions of sorted lists on $name', ({ open }) => {
  test('pages by cursor contain every user once, however long the values are', async () => {
    const list = await titled(await open(), ['a', long('b'), long('c'), 'd', long('c'), long('e'), 'f'])

    for (const direction of ['ascending', 'descending'] as const) {
      for (const limit of [1, 2, 3]) {
        const seen: string[] = []
        let page: ListPage | undefined = { kind: 'cursor', after: undefined, limit }
        while (page !== undefined && seen.length < 20) {
          const { ids, next } = await list('title', direction, page)
          seen.push(...ids)
          page = next === undefined ? undefined : { kind: 'cursor', after: next, limit }
        }
        const ascending = [0, 1, 2, 4, 3, 5, 6].map((index) => `user-${index}`)
        expect(seen).toEqual(direction === 'ascending' ? ascending : ascending.toReversed())
      }
    }
  })

  test('an unknown position starts from the beginning, and a value of another type is no error', async () => {
    const list = await titled(await open(), ['a', 'b'])
    const pageAfter = (after: string, name: string) => list(name, 'ascending', { kind: 'cursor', after, limit: 5 })

    for (const name of ['title', 'userName', 'meta.lastModified', 'active', 'id']) {
      for (const position of unknown) expect((await pageAfter(position, name)).ids).toEqual(['user-0', 'user-1'])
      for (const position of ofOtherTypes) expect((await pageAfter(position, name)).ids).not.toContain('tooMany')
    }
  })
})

const unknown = [
  '',
  'x',
  '1.',
  '1.2',
  '0.1700000000.3.[1user-0',
  '0.1700000000.2.[]user-0',
  '0.1700000000.4.[{}]user-0',
  String.raw`0.1700000000.10.["\u0000"]user-0`,
  String.raw`0.1700000000.10.["\ud800"]user-0`,
  '0.1700000000.7.[1e999]user-0',
  '0.1700000000.8.nonsenseuser-0',
]

const ofOtherTypes = [
  '0.1700000000.5.["x"]user-0',
  '0.1700000000.7.[1e300]user-0',
  '0.1700000000.6.[true]user-0',
  '0.1700000000.6.[null]user-0',
]

const long = (letter: string): string => letter.repeat(5000)

/** Stores users with these titles, and lists them. */
async function titled(dialect: SqlDialect, titles: readonly string[]) {
  const { provisionedUsers } = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const { providerId } = aProvisionedUser('any')
  for (const [index, title] of titles.entries()) {
    const state = aProvisionedState(`${index}`, { comparable: { userName: `name-${index}`, title } })
    const createdAt = after(epochSeconds(1_700_000_000), seconds(index))
    await provisionedUsers.insert(aProvisionedUser(`${index}`, { state, createdAt }))
  }
  return async (path: string, direction: 'ascending' | 'descending', page: ListPage) => {
    const [name = '', subName] = path.split('.')
    const attribute = { extension: undefined, name, subName, multiValued: false }
    const sort = { attribute, elementPart: undefined, direction }
    const outcome = await provisionedUsers.list({ providerId, filter: undefined, sort, page })
    return outcome.outcome === 'listed'
      ? { ids: outcome.records.map(({ userId }) => userId), next: outcome.next }
      : { ids: [outcome.outcome], next: undefined }
  }
}
