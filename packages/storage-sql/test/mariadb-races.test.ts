import { providerId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, ListQuery } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'
import { expect, test } from 'vitest'
import { endPool } from './support/mariadb-database.ts'
import { urlOf } from './support/mariadb-of-the-run.ts'
import { aMariadbServer } from './support/waiting-server.ts'

const issuer = 'https://issuer.example'

test('users who are created while an attribute is declared are found by it', async () => {
  const { storage, other } = await aMariadbServer()
  const ids = Array.from({ length: 40 }, (_, index) => `user ${index}`)

  await Promise.all([
    ...ids.map((id, index) => (index % 2 === 0 ? storage : other).provisionedUsers.insert(withTitle(id))),
    storage.provisionedUsers.indexAttributes([indexedTitle]),
  ])

  expect(await storage.provisionedUsers.list(byTitle)).toMatchObject({ outcome: 'listed', total: ids.length })
})

test('the declaration of an attribute that MariaDB ends because of a deadlock is repeated', async () => {
  const { storage, pool, untilStatementsWait } = await aMariadbServer()
  await storage.provisionedUsers.insert(withTitle('user 1'))
  await pool.promise().query('CREATE TABLE ballast (number INT NOT NULL)')
  const transaction = await pool.promise().getConnection()
  // MariaDB ends the transaction that has changed fewer rows.
  await transaction.query('START TRANSACTION')
  await transaction.query('INSERT INTO ballast SELECT seq FROM seq_1_to_1000')
  await transaction.query('SELECT user_id FROM mintmark_users FOR UPDATE')

  const declaration = storage.provisionedUsers.indexAttributes([indexedTitle])
  await untilStatementsWait(1)
  await transaction.query('SELECT attribute FROM mintmark_indexed_attributes FOR UPDATE')
  await transaction.query('COMMIT')
  transaction.release()

  await declaration
  expect(await storage.provisionedUsers.list(byTitle)).toMatchObject({ outcome: 'listed', total: 1 })
})

// MariaDB that reads only an index of the members locks its entries, and not the rows: the removal would leave the membership. It
// chooses the index by the number of rows.
test.for([
  { kind: 'user', id: 'user-member', table: 'mintmark_users', column: 'user_id' },
  { kind: 'group', id: 'group-member', table: 'mintmark_groups', column: 'group_id' },
])('a group that is created with a $kind waits for a transaction that removes it (RFC 7643 §4.2)', async (member) => {
  const { storage, pool, untilStatementsWait } = await aMariadbServer()
  const removal = await pool.promise().getConnection()

  for (let round = 0; round < 4; round += 1) {
    const id = `${member.id}-${round}`
    await storage.provisionedUsers.insert(aProvisionedUser(`member-${round}`))
    await storage.groups.insert(aGroup(`member-${round}`))
    await removal.query('START TRANSACTION')
    const key = `${member.table} WHERE issuer = '${issuer}' AND ${member.column} = '${id}'`
    await removal.query(`SELECT version FROM ${key} FOR UPDATE`)

    // MariaDB plans a statement of a new connection anew.
    const newPool = createPool({ uri: await urlOf(pool) })
    const other = await createSqlStorage({ dialect: toMariadbDialect(newPool), issuer })
    const joining = other.groups.insert(aGroup(`staff-${round}`, { memberIds: [id] }))
    await Promise.race([joining, untilStatementsWait(1)])
    await removal.query(`DELETE FROM ${key}`)
    await removal.query('COMMIT')

    expect(await joining).toMatchObject({ outcome: 'memberUnknown' })
    await endPool(newPool)
  }
  removal.release()
})

const title: FilterAttribute = { extension: undefined, name: 'title', subName: undefined, multiValued: false }
const indexedTitle = { attribute: title, elementPart: undefined, isUnique: false, isText: true }
const byTitle: ListQuery = {
  providerId: providerId('provider-1'),
  filter: { kind: 'text', attribute: title, operator: 'sw', value: 'user' },
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 1 },
}

const withTitle = (id: string) =>
  aProvisionedUser(id, { state: aProvisionedState(id, { comparable: { userName: id, title: id } }) })
