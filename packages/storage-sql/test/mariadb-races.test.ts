import { epochSeconds, providerId, type AdminStorage } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import type { Pool, RowDataPacket } from 'mysql2'
import { expect, onTestFinished, test } from 'vitest'
import { aMigratedMariadbDatabase } from './support/mariadb-of-the-run.ts'

// A statement of MariaDB reads what was committed when it began, and its triggers do as well, unless they lock what they read.

test('a user who is created while the removal of a blocked user is uncommitted is blocked (RFC 7644 §3.6)', async () => {
  const { storage, pool } = await aServer()
  await storage.provisionedUsers.insert(ada)
  await storage.users.deactivate(ada.userId, now)

  const [removal, creation] = await whileRemovalIsOpen({ storage, pool }, () => storage.provisionedUsers.insert(again))

  expect(removal).toEqual({ outcome: 'removed' })
  expect(creation).toMatchObject({ outcome: 'inserted', record: { active: false, blockedAt: now } })
  expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
})

test.for(['externalId', 'userName'] as const)(
  'a user who takes the %s of a blocked user whose removal is uncommitted is blocked (RFC 7644 §3.6)',
  async (key) => {
    const { storage, pool } = await aServer()
    await storage.provisionedUsers.insert(ada)
    await storage.provisionedUsers.insert(eve)
    await storage.users.deactivate(ada.userId, now)
    const { externalId, comparable } = ada.state
    const state = aProvisionedState('eve', key === 'externalId' ? { externalId } : { comparable })

    const [removal, change] = await whileRemovalIsOpen({ storage, pool }, () =>
      storage.provisionedUsers.compareAndSwap({ ...eve, version: 1, state, now }),
    )

    expect(removal).toEqual({ outcome: 'removed' })
    expect(change).toMatchObject({ outcome: 'swapped', record: { active: false, blockedAt: now, generation: 1 } })
    expect(await storage.users.find(eve.userId)).toMatchObject({ active: false, blockedAt: now })
  },
)

test('if a user is blocked while the removal of the user is uncommitted, the next user with the same keys is blocked', async () => {
  const { storage, pool } = await aServer()
  await storage.provisionedUsers.insert(ada)

  const [removal, block] = await whileRemovalIsOpen({ storage, pool }, () => storage.users.deactivate(ada.userId, now))
  await storage.provisionedUsers.insert(again)

  expect([removal, block]).toEqual([{ outcome: 'removed' }, { outcome: 'absent' }])
  expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
})

test('users who are created while an attribute is declared are found by it', async () => {
  const { storage, other } = await aServer()
  const ids = Array.from({ length: 40 }, (_, index) => `user ${index}`)
  const title: FilterAttribute = { extension: undefined, name: 'title', subName: undefined, multiValued: false }
  const withTitle = (id: string) =>
    aProvisionedUser(id, {
      state: aProvisionedState(id, { comparable: { userName: id, title: id } }),
    })

  await Promise.all([
    ...ids.map((id, index) => (index % 2 === 0 ? storage : other).provisionedUsers.insert(withTitle(id))),
    storage.provisionedUsers.indexAttributes([
      { attribute: title, elementPart: undefined, isUnique: false, isText: true },
    ]),
  ])

  const found = await storage.provisionedUsers.list({
    providerId: providerId('provider-1'),
    filter: { kind: 'text', attribute: title, operator: 'sw', value: 'user' },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 1 },
  })
  expect(found).toMatchObject({ outcome: 'listed', total: ids.length })
})

const issuer = 'https://issuer.example'
const now = epochSeconds(1_800_000_000)
const ada = aProvisionedUser('ada')
const eve = aProvisionedUser('eve')
const again = aProvisionedUser('again', { state: ada.state })
const removalOfAda = { providerId: providerId('provider-1'), userId: ada.userId, version: undefined, now }

interface Server {
  readonly storage: AdminStorage
  readonly pool: Pool
}

async function aServer(): Promise<Server & { readonly other: AdminStorage }> {
  const { pools, remove } = await aMigratedMariadbDatabase()
  onTestFinished(remove)
  const [storage, other] = await Promise.all([
    createSqlStorage({ dialect: toMariadbDialect(pools[0]), issuer }),
    createSqlStorage({ dialect: toMariadbDialect(pools[1]), issuer }),
  ])
  return { storage, other, pool: pools[0] }
}

/** Starts work after the removal of `ada` has changed her row, and commits the removal when the work waits for it. */
async function whileRemovalIsOpen<T>({ storage, pool }: Server, work: () => Promise<T>) {
  const other = await pool.promise().getConnection()
  // A trigger of the removal waits for this row.
  await other.query('START TRANSACTION')
  await other.query('SELECT total FROM mintmark_user_totals FOR UPDATE')
  const removal = storage.provisionedUsers.remove(removalOfAda)
  await untilStatementsWait(pool, 1)
  const working = work()
  await untilStatementsWait(pool, 2)
  await other.query('COMMIT')
  other.release()
  return Promise.all([removal, working])
}

/**
 * Waits until a number of statements wait for other transactions of this database. InnoDB renews its table of transactions only
 * after nobody has read it for a tenth of a second.
 */
async function untilStatementsWait(pool: Pool, count: number): Promise<void> {
  const waiting = `SELECT count(*) AS waiting FROM information_schema.innodb_trx AS waits
    JOIN information_schema.processlist AS process ON process.id = waits.trx_mysql_thread_id
    WHERE waits.trx_state = 'LOCK WAIT' AND process.db = database()`
  for (;;) {
    await pool.promise().query('SELECT sleep(0.11)')
    const [rows] = await pool.promise().query<RowDataPacket[]>(waiting)
    if (Number(rows[0]?.['waiting']) >= count) return
  }
}
