import { type AdminStorage, epochSeconds, groupId, type ResolvedFilter } from '@mintmark/storage-interface'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, ListQuery } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import type { Pool, RowDataPacket } from 'mysql2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRows } from './support/copy-rows.ts'
import { aMariadbPool, endPool } from './support/mariadb-database.ts'
import { portOfTheRun } from './support/mariadb-of-the-run.ts'

const issuer = 'https://issuer.example'
const { providerId } = aProvisionedUser('any')
const labels = Array.from({ length: 3000 }, (_, index) => `p${index + 10_000}q`)
const label = 'p12345q'

let pool: Pool
let dialect: SqlDialect
let storage: AdminStorage
beforeAll(async () => {
  // One connection, which counts what it reads.
  pool = await aMariadbPool(await portOfTheRun(), { connectionLimit: 1 })
  dialect = toMariadbDialect(pool, { migrate: 'on-open' })
  storage = await createSqlStorage({ dialect, issuer })
  const template = 'p00000q'
  const user = aProvisionedUser(template, {
    state: aProvisionedState(template, {
      comparable: { userName: `name-${template}`, emails: [{ value: `${template}@work.example`, primary: true }] },
    }),
  })
  await storage.provisionedUsers.insert(user)
  await storage.groups.insert(aGroup(template, { memberIds: [user.userId] }))
  for (const table of ['mintmark_users', 'mintmark_groups', 'mintmark_group_members'])
    await copyRows(dialect, table, { label: template, labels })
}, 120_000)
afterAll(() => endPool(pool))

function attribute(path: string): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension: undefined, name, subName, multiValued: false }
}
const text = (name: string, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(name),
  operator: 'eq',
  value,
})
const list =
  (filter: ResolvedFilter | undefined, { sort, page, maxBytes }: Partial<ListQuery> = {}) =>
  () =>
    storage.provisionedUsers.list({
      providerId,
      filter,
      sort,
      page: page ?? { kind: 'index', offset: 0, limit: 10 },
      ...(maxBytes !== undefined && { maxBytes }),
    })
const sortedBy = (name: string): Partial<ListQuery> => ({
  sort: { attribute: attribute(name), elementPart: undefined, direction: 'ascending' },
})
const after = { kind: 'cursor', after: `${aProvisionedUser('any').createdAt}.user-p12000q`, limit: 10 } as const
const element = (name: string, part: string, value: string): ResolvedFilter => ({
  kind: 'element',
  attribute: { ...attribute(name), multiValued: true },
  where: text(part, value),
})
const or = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'or', operands })
const modifiedAfter = (value: number): ResolvedFilter => ({
  kind: 'number',
  attribute: attribute('meta.lastModified'),
  operator: 'gt',
  value,
})
const listGroups = (filter: ResolvedFilter | undefined) => () =>
  storage.groups.list({ providerId, filter, sort: undefined, page: { kind: 'index', offset: 0, limit: 10 } })

const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  'users by userName': list(text('userName', `name-${label}`)),
  'users by externalId': list(text('externalId', `external-${label}`)),
  'users by identifier': list(text('id', `user-${label}`)),
  'users by one of two userNames': list(or(text('userName', `name-${label}`), text('userName', 'nobody'))),
  'users by an address': list(element('emails', 'value', `${label}@work.example`)),
  'users by one of two addresses, with a limit of bytes': list(
    or(element('emails', 'value', `${label}@work.example`), element('emails', 'value', 'nobody')),
    { maxBytes: 1_000_000 },
  ),
  'users by group': list(element('groups', 'value', `group-${label}`)),
  'users by the time of their last change': list(modifiedAfter(1_900_000_000_000)),
  'the first page of users': list(undefined),
  'the first page of users, with a limit of bytes': list(undefined, { maxBytes: 1_000_000 }),
  'a page of users after a cursor': list(undefined, { page: after }),
  'a page of users after a cursor, with a limit of bytes': list(undefined, { page: after, maxBytes: 1_000_000 }),
  'the first page of users by userName': list(undefined, sortedBy('userName')),
  'the first page of users by the time of their last change': list(undefined, sortedBy('meta.lastModified')),
  'the first page of groups': listGroups(undefined),
  'groups by externalId': listGroups(text('externalId', `external-${label}`)),
  'groups by displayName': listGroups(text('displayName', `name-${label}`)),
  'a change of members': () =>
    storage.groups.change({
      providerId,
      groupId: groupId(`group-${label}`),
      version: undefined,
      state: undefined,
      members: { kind: 'delta', add: ['user-p10001q'], remove: [`user-${label}`] },
      now: epochSeconds(1_800_000_100),
    }),
}

test.for(Object.entries(requests))('reads few of three thousand users and groups: %s', async ([, request]) => {
  await pool.promise().query('FLUSH STATUS')

  const outcome = await request()

  const [rows] = await pool.promise().query<RowDataPacket[]>(`SHOW SESSION STATUS LIKE 'Handler_read_%'`)
  const read = rows.reduce((sum, row) => sum + Number(row['Value']), 0)
  expect(outcome).toMatchObject({ outcome: expect.stringMatching(/^(listed|swapped)$/) as string })
  expect(read).toBeLessThan(1000)
})
