import { epochSeconds, groupId, providerId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'
import {
  aClientRecord,
  aGroup,
  aGroupState,
  aProvisionedState,
  aProvisionedUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const provider = providerId('provider-1')
const staff = groupId('group-staff')
const ada = userId('user-ada')
const now = epochSeconds(1_800_000_000)
const writers = Array.from({ length: 64 }, (_, index) => `${index}`)

test('64 writers of one user, each based on the last version, all succeed (RFC 7644 §3.5.1)', async () => {
  const { storages } = await twoServers()
  await storages[0].provisionedUsers.insert(aProvisionedUser('ada'))

  const versions = await Promise.all(
    writers.map((writer, index) =>
      untilSettled(async () => {
        const { provisionedUsers } = storages[index % 2 === 0 ? 0 : 1]
        const found = await provisionedUsers.find(provider, ada)
        const state = aProvisionedState('ada', { externalId: writer })
        const swapped = await provisionedUsers.compareAndSwap({
          providerId: provider,
          userId: ada,
          version: found?.version ?? 0,
          state,
          now,
        })
        return swapped.outcome === 'swapped' ? swapped.record.version : undefined
      }),
    ),
  )

  expect(versions.toSorted((one, other) => one - other)).toEqual(writers.map((_, index) => index + 2))
})

test('64 writers of one group, each based on the last version, all succeed (RFC 7644 §3.5.1)', async () => {
  const { storages } = await twoServers()
  await storages[0].groups.insert(aGroup('staff'))

  const versions = await Promise.all(
    writers.map((writer, index) =>
      untilSettled(async () => {
        const storage = storages[index % 2 === 0 ? 0 : 1]
        const found = await storage.groups.find(provider, staff)
        const state = aGroupState('staff', { displayName: writer })
        const swapped = await storage.groups.change({ ...ofStaff, version: found?.version, state, members: undefined })
        return swapped.outcome === 'swapped' ? swapped.record.version : undefined
      }),
    ),
  )

  expect(versions.toSorted((one, other) => one - other)).toEqual(writers.map((_, index) => index + 2))
})

test('64 changes of a locked group wait with one connection, and other requests are answered meanwhile', async () => {
  const { storages, pools } = await twoServers()
  const [storage] = storages
  for (const writer of writers) await storage.provisionedUsers.insert(aProvisionedUser(writer))
  await storage.groups.insert(aGroup('staff'))
  await storage.clients.insert(aClientRecord())
  const holder = await pools[1].connect()
  await holder.query('BEGIN')
  await holder.query('SELECT * FROM mintmark_groups FOR UPDATE')

  const changes = writers.map((writer) => joining(storage, writer))
  const renaming = storage.groups.change({
    ...ofStaff,
    version: undefined,
    state: aGroupState('staff'),
    members: undefined,
  })
  await untilLockIsAwaited(pools[1])

  expect(await Promise.all(writers.map(() => storage.clients.find(aClientRecord().clientId)))).toContainEqual(
    aClientRecord(),
  )
  await holder.query('ROLLBACK')
  holder.release()
  const outcomes = await Promise.all([...changes, renaming])
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['swapped']))
  expect((await storage.groups.find(provider, staff))?.version).toBe(66)
})

const ofStaff = { providerId: provider, groupId: staff, now }

const joining = (storage: AdminStorage, writer: string) =>
  storage.groups.change({
    ...ofStaff,
    version: undefined,
    state: undefined,
    members: { kind: 'delta', add: [`user-${writer}`], remove: [] },
  })

/** Waits until a statement about groups waits for a lock in this schema. */
async function untilLockIsAwaited(pool: Pool): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE NOT granted AND application_name = current_setting('application_name') AND query LIKE '%mintmark_groups%'`
  while ((await pool.query(waiting)).rows.length === 0);
}

type Two<T> = readonly [T, T]

async function twoServers(): Promise<{ readonly storages: Two<AdminStorage>; readonly pools: Two<Pool> }> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const pools: Two<Pool> = [database.pool(), database.pool()]
  const open = (pool: Pool): Promise<AdminStorage> => createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  return { storages: [await open(pools[0]), await open(pools[1])], pools }
}
