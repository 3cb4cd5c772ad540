import { createHash, createHmac } from 'node:crypto'

import { clientId, epochSeconds, providerId } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import { addProviderSecret, createScimServer, revokePreviousProviderSecrets } from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import {
  expectRefusal,
  startDirectory,
  type Directory,
  type ExpectedRefusal,
} from '../fixtures/directory-under-test.ts'
import { idsOf, namesOf, resourcesOf, startUsers } from '../fixtures/users-under-test.ts'
import { startScim, type ScimReply, type ScimRequest } from '../fixtures/scim-under-test.ts'

const invalidCursor: ExpectedRefusal = { status: 400, scimType: 'invalidCursor', reason: 'cursor_invalid' }
const expiredCursor: ExpectedRefusal = { status: 400, scimType: 'expiredCursor', reason: 'cursor_expired' }
const countOutOfRange: ExpectedRefusal = { status: 400, scimType: 'invalidCount', reason: 'count_out_of_range' }
const countChanged: ExpectedRefusal = { status: 400, scimType: 'invalidCount', reason: 'count_changed' }

const nextCursorOf = ({ body }: ScimReply): string | undefined => body?.['nextCursor'] as string | undefined

const page = (directory: Directory, parameters: Readonly<Record<string, string>>, sent: Partial<ScimRequest> = {}) =>
  directory.send({ path: `/Users?${new URLSearchParams(parameters).toString()}`, ...sent })

/** Returns the cursor of the second page, with two users per page. */
const cursorOfSecondPage = async (
  directory: Directory,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> => nextCursorOf(await page(directory, { cursor: '', count: '2', ...parameters })) ?? ''

/** Forges a cursor of all users, as T1 can: its secret, which T1 knows, determines the signing key. */
function forgeCursor(payload: string, { secrets }: Directory): string {
  const key = createHash('sha256')
    .update(secrets['T1'] ?? '')
    .digest('base64url')
  const encoded = Buffer.from(payload).toString('base64url')
  const query = JSON.stringify([['User', null, null]])
  return `${encoded}.${createHmac('sha256', key)
    .update(JSON.stringify(['scim list cursor', 'T1', query, encoded]))
    .digest('base64url')}`
}

test('an empty cursor requests the first page, nextCursor the next, and the last page has none (RFC 9865 §2)', async () => {
  const users = await startUsers()

  const first = await users.send({ path: '/Users?cursor&count=3' })
  const last = await page(users, { cursor: nextCursorOf(first) ?? '', count: '3' })

  expect(first).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 3 } })
  expect(nextCursorOf(first)).toMatch(/^[A-Za-z0-9._~-]+$/)
  expect(namesOf(first)).toEqual(['Kim', 'Lou', 'Max'])
  expect(last).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 1 } })
  expect(namesOf(last)).toEqual(['Ann'])
  expect(
    [first, last]
      .flatMap(({ body }) => Object.keys(body ?? {}))
      .filter((name) => name === 'startIndex' || name === 'previousCursor'),
  ).toEqual([])
  expect(nextCursorOf(last)).toBeUndefined()
})

test('pages by index if the request has no cursor (RFC 9865 §2.3)', async () => {
  const users = await startUsers()

  const { body } = await page(users, { count: '2' })

  expect(body).toMatchObject({ startIndex: 1, itemsPerPage: 2 })
  expect(body).not.toHaveProperty('nextCursor')
})

test('a cursor of a query is valid in a search, and with other attributes (RFC 9865 §3)', async () => {
  const users = await startUsers()
  const cursor = await cursorOfSecondPage(users, { filter: 'userName pr', attributes: 'id' })

  const reply = await users.send({
    method: 'POST',
    path: '/Users/.search',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      cursor,
      count: 2,
      filter: '(USERNAME pr)',
      attributes: ['displayName'],
    },
  })

  expect(namesOf(reply)).toEqual(['Max', 'Ann'])
})

test('pages keep the requested order (RFC 9865 §2.2)', async () => {
  const users = await startUsers()
  const order = { sortBy: 'displayName', sortOrder: 'descending' }

  const cursor = await cursorOfSecondPage(users, order)

  expect(namesOf(await page(users, { ...order, cursor, count: '2' }))).toEqual(['Kim', 'Ann'])
})

test.each(['界'.repeat(1024), '"'.repeat(1024)])('a cursor continues after the longest value', async (title) => {
  const scim = await startScim()
  for (const userName of ['a', 'b', 'c'])
    await scim.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], userName, title } })
  const walk = (cursor: string) => scim.send({ path: `/Users?sortBy=title&count=2&cursor=${cursor}` })

  const first = await walk('')
  const last = await walk(nextCursorOf(first) ?? '')

  expect(last).toMatchObject({ status: 200, body: { itemsPerPage: 1 } })
  expect(new Set([...idsOf(first), ...idsOf(last)]).size).toBe(3)
})

test('a count of 0 returns the total and no cursor (RFC 9865 §2)', async () => {
  const users = await startUsers()

  const reply = await page(users, { cursor: '', count: '0' })

  expect(reply).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 0, Resources: [] } })
  expect(nextCursorOf(reply)).toBeUndefined()
})

describe('invalid cursors and counts', () => {
  test.each([
    'null',
    '{}',
    '[]',
    '5',
    '{',
    '"x"',
    '[0,5,2,1790000000]',
    '["0",null,2,1790000000]',
    '[0.5,null,2,1790000000]',
    '[0,{},2,1790000000]',
    '[0,"1.\\u0000",2,1790000000]',
    '[0,"1.\\ud800",2,1790000000]',
    '[0,null,2]',
  ])('refuses a cursor with a malformed payload, even if its signature is valid: %s', async (payload) => {
    const users = await startUsers()

    await expectRefusal(
      users,
      async () => page(users, { cursor: forgeCursor(payload, users), count: '2' }),
      invalidCursor,
    )
  })

  test('shows only the resources of the provider, even if a forged cursor has a valid signature', async () => {
    const users = await startUsers()

    expect(namesOf(await page(users, { cursor: forgeCursor('[0,null,2,1790000000]', users), count: '2' }))).toEqual([
      'Kim',
      'Lou',
    ])
  })

  test('refuses an altered, truncated or invented cursor, always with the same detail', async () => {
    const users = await startUsers()
    const cursor = await cursorOfSecondPage(users)
    const [payload = '', signature = ''] = cursor.split('.')
    const other = Buffer.from(payload, 'base64url').toString().replace('[0', '[1')
    const forged = [
      `${cursor}x`,
      cursor.slice(0, -1),
      `${payload}.`,
      payload,
      `.${signature}`,
      `${Buffer.from(other).toString('base64url')}.${signature}`,
      `${payload}.${signature}.${signature}`,
      cursor.toUpperCase(),
      'x',
      '.',
      '..',
      ' ',
      'null',
      'ü',
      'a'.repeat(20_000),
    ]

    const details = new Set<unknown>()
    for (const cursor of forged) {
      await expectRefusal(users, async () => page(users, { cursor, count: '2' }), invalidCursor)
      details.add((await page(users, { cursor, count: '2' })).body?.['detail'])
    }

    expect(details.size).toBe(1)
  })

  test('refuses a cursor of another provider, filter, order or type', async () => {
    const users = await startUsers()
    const cursor = await cursorOfSecondPage(users, { filter: 'userName pr', sortBy: 'displayName' })
    const plain = await cursorOfSecondPage(users)
    const same = { filter: 'userName pr', sortBy: 'displayName', cursor, count: '2' }
    const send =
      (parameters: Readonly<Record<string, string>>, sent: Partial<ScimRequest> = {}) =>
      () =>
        page(users, parameters, sent)

    await expectRefusal(users, send(same, { provider: 'T2' }), invalidCursor)
    await expectRefusal(users, send({ ...same, filter: 'title pr' }), invalidCursor)
    await expectRefusal(users, send({ sortBy: 'displayName', cursor, count: '2' }), invalidCursor)
    await expectRefusal(users, send({ ...same, sortBy: 'userName' }), invalidCursor)
    await expectRefusal(users, send({ ...same, sortOrder: 'descending' }), invalidCursor)
    await expectRefusal(users, () => users.send({ path: `/Groups?count=2&cursor=${plain}` }), invalidCursor)
    expect((await page(users, same)).status).toBe(200)
  })

  test('refuses a cursor as expired after an hour, and not before', async () => {
    const users = await startUsers()
    const cursor = await cursorOfSecondPage(users)

    users.clock.advance(3599)
    expect((await page(users, { cursor, count: '2' })).status).toBe(200)
    users.clock.advance(1)

    await expectRefusal(users, () => page(users, { cursor, count: '2' }), expiredCursor)
    await expectRefusal(users, () => page(users, { cursor: `${cursor}x`, count: '2' }), invalidCursor)
  })

  test('refuses a cursor with a count that differs from the count of the first page', async () => {
    const users = await startUsers()
    const cursor = await cursorOfSecondPage(users)

    for (const parameters of [{ cursor, count: '3' }, { cursor, count: '0' }, { cursor }])
      await expectRefusal(users, () => page(users, parameters), countChanged)
  })

  test.each(['-1', '201', '1e9', 'abc', '1.5', '9'.repeat(400)])(
    'refuses a count of %j instead of clamping it',
    async (count) => {
      const users = await startUsers()

      await expectRefusal(users, () => page(users, { cursor: '', count }), countOutOfRange)
    },
  )
})

describe('a cursor and the secret that signed it', () => {
  test('the cursor stays valid when a secret is added, and becomes invalid when its secret expires', async () => {
    const users = await startUsers()
    const { storage, clock } = users
    const cursor = await cursorOfSecondPage(users)
    const newer = await addProviderSecret(
      'T1',
      { previousExpiresAt: clock.now() + 60 },
      { storage, clock: () => clock.now() },
    )
    const authorization = `Bearer ${newer}`

    expect((await page(users, { cursor, count: '2' })).status).toBe(200)
    expect((await page(users, { cursor, count: '2' }, { authorization })).status).toBe(200)
    clock.advance(60)

    const before = users.dump()
    expect(await page(users, { cursor, count: '2' }, { authorization })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidCursor' },
    })
    expect(users.dump().replaceAll(/"lastUsedAt": \d+/g, '')).toBe(before.replaceAll(/"lastUsedAt": \d+/g, ''))
  })

  test('the cursor becomes invalid when all secrets except the newest are revoked', async () => {
    const users = await startUsers()
    const { storage, clock } = users
    const old = await cursorOfSecondPage(users)
    const authorization = `Bearer ${await addProviderSecret('T1', {}, { storage, clock: () => clock.now() })}`
    const newer = nextCursorOf(await page(users, { cursor: '', count: '2' }, { authorization })) ?? ''

    await revokePreviousProviderSecrets('T1', { storage })

    expect(await page(users, { cursor: old, count: '2' }, { authorization })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidCursor' },
    })
    expect((await page(users, { cursor: newer, count: '2' }, { authorization })).status).toBe(200)
  })

  test('another process with the same storage accepts the cursor', async () => {
    const users = await startUsers()
    const cursor = await cursorOfSecondPage(users)
    const other = createScimServer({
      issuer: users.server.issuer,
      storage: users.storage,
      clock: () => users.clock.now(),
    })

    const response = await other.handle({
      method: 'GET',
      url: new URL(`${users.server.issuer}/scim/v2/enterprise-idps/T1/Users?count=2&cursor=${cursor}`),
      headers: new Map([['authorization', `Bearer ${users.secrets['T1']}`]]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new Uint8Array(),
    })

    expect(response.status).toBe(200)
    expect(String(response.body)).toContain('"displayName":"Max"')
  })

  test('a client with an access token can page, even if the provider has no secret', async () => {
    const token = { subject: 'c1', clientId: clientId('c1'), scopes: ['scim'], expiresAt: epochSeconds(2_000_000_000) }
    const scim = await startScim({ accessTokens: { accessToken: async () => token } })
    for (const userName of ['a', 'b', 'c'])
      await scim.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], userName } })
    const provider = await scim.storage.identityProviders.find(providerId('T1'))
    if (provider === undefined) throw new TypeError('The provider T1 does not exist.')
    await scim.storage.identityProviders.compareAndSwap(
      { ...provider, clientIds: [token.clientId], secrets: [] },
      provider.version,
    )
    const walk = (cursor: string) =>
      scim.send({ path: `/Users?count=2&cursor=${cursor}`, authorization: 'Bearer token' })

    const first = await walk('')
    const last = await walk(nextCursorOf(first) ?? '')

    expect(new Set([...resourcesOf(first), ...resourcesOf(last)].map(({ userName }) => userName))).toEqual(
      new Set(['a', 'b', 'c']),
    )
    expect(await walk(`${nextCursorOf(first)}x`)).toMatchObject({ status: 400, body: { scimType: 'invalidCursor' } })
  })
})

test('a resource that exists throughout is listed once, whatever is added or removed meanwhile', async () => {
  const directory = await startDirectory(150)
  const { users } = directory
  const leaving = new Set(users.filter((_, index) => index % 3 === 0))
  const pending: Promise<unknown>[] = []
  const seen: string[] = []
  let cursor: string | undefined = ''

  for (let index = 0; cursor !== undefined; index += 1) {
    pending.push(
      ...[...leaving]
        .slice(index * 5, index * 5 + 5)
        .map((id) => directory.send({ method: 'DELETE', path: `/Users/${id}` })),
    )
    pending.push(
      ...Array.from({ length: 5 }, (_, more) =>
        directory.send({
          method: 'POST',
          path: '/Users',
          body: { schemas: [userSchema.id], userName: `new-${index}-${more}` },
        }),
      ),
    )
    directory.clock.advance(1)
    const reply: ScimReply = await page(directory, { cursor, count: '12' })
    expect(reply.status).toBe(200)
    seen.push(...idsOf(reply))
    cursor = nextCursorOf(reply)
  }
  await Promise.all(pending)

  expect(new Set(seen).size).toBe(seen.length)
  expect(users.filter((id) => !leaving.has(id) && !seen.includes(id))).toEqual([])
  expect(pending.length).toBeGreaterThan(100)
})

test('law: the concatenated pages of any size are the complete list', async () => {
  const directory = await startDirectory(23)
  const whole = idsOf(await directory.send({ path: '/Users' }))

  for (const count of [1, 2, 5, 22, 23, 24, 200]) {
    const seen: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const reply: ScimReply = await page(directory, { cursor, count: String(count) })
      seen.push(...idsOf(reply))
      cursor = nextCursorOf(reply)
    }
    expect(seen).toEqual(whole)
  }
})
