import { providerId } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, ListQuery } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'
import { aMariadbServer } from './support/waiting-server.ts'

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
