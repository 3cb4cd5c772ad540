import { createCookieSessions } from '@mintmark/core'
import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'

import { usersOf } from '../../docs/snippets/bring-existing-users/live.ts'
import { createUser, disableUser } from '../../docs/snippets/bring-existing-users/transaction.ts'
import { openAdministration, writeUsers } from '../../docs/snippets/bring-existing-users/upsert.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { createReceiver } from '../../docs/snippets/receive-webhooks/receiver.ts'

test('the guide imports the users of the product, and a disabled user becomes inactive', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const user = { id: 7, fullName: 'Ann', email: 'ann@x.test', isDisabled: false }

  await writeUsers(openAdministration(storage), [user, { ...user, id: 8, isDisabled: true }])

  expect(await storage.users.find(userId('7'))).toMatchObject({ active: true, claims: { name: 'Ann' } })
  expect(await storage.users.find(userId('8'))).toMatchObject({ active: false })
})

test('the guide reads users from the table of the product, and createCookieSessions accepts this source', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const row = { fullName: 'Ann', email: 'ann@x.test', isDisabled: true }
  const users = usersOf({ find: async (id) => (id === '7' ? row : undefined) })
  const call = { signal: new AbortController().signal }

  expect(await users.find('7', call)).toEqual({ active: false, claims: { name: 'Ann', email: 'ann@x.test' } })
  expect(await users.find('8', call)).toBeUndefined()
  expect(createCookieSessions({ storage, users })).toHaveProperty('start')
})

test('the guide writes to its own table and to Mintmark in one transaction: both or neither', async () => {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool()
  const dialect = toPostgresDialect(pool, { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer: 'https://login.example' })
  await pool.query('CREATE TABLE people (id text PRIMARY KEY, full_name text, is_disabled boolean DEFAULT false)')
  const people = async () => (await pool.query<{ id: string }>('SELECT id, is_disabled FROM people')).rows

  await createUser(pool, { id: '7', name: 'Ann' })
  await expect(createUser(pool, { id: 'not an identifier', name: 'Kim' })).rejects.toThrow('identifier_invalid')
  expect(await people()).toEqual([{ id: '7', is_disabled: false }])
  expect(await storage.users.find(userId('7'))).toMatchObject({ active: true, claims: { name: 'Ann' } })

  await disableUser(pool, '7')
  expect(await people()).toEqual([{ id: '7', is_disabled: true }])
  expect(await storage.users.find(userId('7'))).toMatchObject({ active: false, generation: 1 })
})

test('the guide receives webhooks, and refuses a webhook with a wrong signature', async () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const calls: string[] = []
  const receive = createReceiver(secret, {
    setActive: async (id, active) => void calls.push(`${id} ${active}`),
    remove: async (id) => void calls.push(`${id} removed`),
  })
  const send = async (message: object, signer = secret) => {
    const [body, at] = [JSON.stringify(message), new Date()]
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(signer).sign('m1', at, body),
    }
    return (await receive(new Request('https://app.example/hooks', { method: 'POST', headers, body }))).status
  }

  const user = { active: false }
  expect(await send({ type: 'user.deactivated', data: { user_id: '7', user } })).toBe(204)
  expect(await send({ type: 'user.removed', data: { user_id: '7', user: null } })).toBe(204)
  expect(await send({ type: 'user.removed', data: { user_id: '8' } }, `whsec_${'B'.repeat(43)}=`)).toBe(401)
  // Without `--include-user`.
  expect(await send({ type: 'user.deactivated', data: { user_id: '9' } })).toBe(204)
  expect(await send({ type: 'user.reactivated', data: { user_id: '9' } })).toBe(204)
  expect(calls).toEqual(['7 false', '7 removed', '9 false', '9 true'])
})
