import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { toNodeListener } from '@mintmark/adapter-node'
import { createScimServer, registerIdentityProvider, type ScimEvent } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'

import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'

const issuer = 'https://as.test'

test.for([
  { name: 'a search', path: '/Users?filter=nickName%20co%20%22x%22', table: 'mintmark_users' },
  { name: 'a page', path: '/Users?count=5', table: 'mintmark_users' },
  { name: 'a page of groups', path: '/Groups', table: 'mintmark_groups' },
])('cancels the statement of $name when its client disconnects, and the connection remains usable', async (read) => {
  const { port, secret, pool, observer, events } = await start()
  const waiting = async () =>
    (
      await observer.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'left' AND wait_event_type = 'Lock' AND state = 'active'`,
      )
    ).rows.length
  const holder = await observer.connect()
  // Closes the connection, which releases the lock, even if the test fails.
  onTestFinished(() => holder.release(true))
  await holder.query(`BEGIN; LOCK TABLE ${read.table} IN ACCESS EXCLUSIVE MODE`)

  const socket = connect(port, '127.0.0.1')
  socket.write(
    `GET /scim/v2/enterprise-idps/acme${read.path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
  )
  await expect.poll(waiting, patiently).toBe(1)
  socket.destroy()

  // The table is still locked: without cancellation the statement would wait for it.
  await expect.poll(waiting, patiently).toBe(0)
  await expect.poll(() => [pool.totalCount - pool.idleCount, pool.waitingCount], patiently).toEqual([0, 0])
  await holder.query('ROLLBACK')
  const answer = await fetch(`http://127.0.0.1:${port}/scim/v2/enterprise-idps/acme${read.path}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  expect([answer.status, await answer.json()]).toMatchObject([200, { totalResults: 0 }])
  expect(events.map(({ type }) => type)).not.toContain('request.refused')
})

const patiently = { timeout: 30_000 }

async function start() {
  const database = await aDatabase()
  const pool = database.pool({ max: 2, application_name: 'left' })
  const observer = database.pool({ max: 2 })
  // The timeout is longer than the test: only a disconnect cancels a statement.
  const dialect = toPostgresDialect(pool, { migrate: 'on-open', timeoutMilliseconds: 60_000 })
  const storage = await createSqlStorage({ dialect, issuer })
  const { secret } = await registerIdentityProvider({ providerId: 'acme' }, { storage })
  const events: ScimEvent[] = []
  const scim = createScimServer({ issuer, storage, onEvent: (event) => void events.push(event) })
  const server = createServer(toNodeListener(scim)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await dialect.close()
    await database.remove()
  })
  const { port } = server.address() as AddressInfo
  // The first use of a secret is recorded.
  await fetch(`http://127.0.0.1:${port}/scim/v2/enterprise-idps/acme/Users?count=0`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  return { port, secret, pool, observer, events }
}
