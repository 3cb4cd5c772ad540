import { createHash, createHmac } from 'node:crypto'

import { clientId, epochSeconds, providerId } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import { addProviderSecret, createScimServer, revokePreviousProviderSecrets, userSchema } from '../../src/index.ts'
import { expectRefused, startDirectory, type Directory, type Refused } from './directory-under-test.ts'
import { idsOf, namesOf, resourcesOf, startPeople } from './people-under-test.ts'
import { startScim, type ScimReply, type ScimSent } from './scim-under-test.ts'

const invalidCursor: Refused = { status: 400, scimType: 'invalidCursor', reason: 'cursor_invalid' }
const expiredCursor: Refused = { status: 400, scimType: 'expiredCursor', reason: 'cursor_expired' }
const countOutOfRange: Refused = { status: 400, scimType: 'invalidCount', reason: 'count_out_of_range' }
const countChanged: Refused = { status: 400, scimType: 'invalidCount', reason: 'count_changed' }

const nextOf = ({ body }: ScimReply): string | undefined => body?.['nextCursor'] as string | undefined

const page = (directory: Directory, parameters: Readonly<Record<string, string>>, sent: Partial<ScimSent> = {}) =>
  directory.send({ path: `/Users?${new URLSearchParams(parameters).toString()}`, ...sent })

/** The cursor for the second page of two people each. */
const secondOf = async (directory: Directory, parameters: Readonly<Record<string, string>> = {}): Promise<string> =>
  nextOf(await page(directory, { cursor: '', count: '2', ...parameters })) ?? ''

/** A cursor of all users that T1 makes itself: it knows its secret, and so the digest. */
function signed(payload: string, { secrets }: Directory): string {
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
  const people = await startPeople()

  const first = await people.send({ path: '/Users?cursor&count=3' })
  const last = await page(people, { cursor: nextOf(first) ?? '', count: '3' })

  expect(first).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 3 } })
  expect(nextOf(first)).toMatch(/^[A-Za-z0-9._~-]+$/)
  expect(namesOf(first)).toEqual(['Kim', 'Lou', 'Max'])
  expect(last).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 1 } })
  expect(namesOf(last)).toEqual(['Ann'])
  expect(
    [first, last]
      .flatMap(({ body }) => Object.keys(body ?? {}))
      .filter((name) => name === 'startIndex' || name === 'previousCursor'),
  ).toEqual([])
  expect(nextOf(last)).toBeUndefined()
})

test('without a cursor, pages are by index (RFC 9865 §2.3)', async () => {
  const people = await startPeople()

  const { body } = await page(people, { count: '2' })

  expect(body).toMatchObject({ startIndex: 1, itemsPerPage: 2 })
  expect(body).not.toHaveProperty('nextCursor')
})

test('a cursor of a query is valid in a search, and with other attributes (RFC 9865 §3)', async () => {
  const people = await startPeople()
  const cursor = await secondOf(people, { filter: 'userName pr', attributes: 'id' })

  const reply = await people.send({
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
  const people = await startPeople()
  const order = { sortBy: 'displayName', sortOrder: 'descending' }

  const cursor = await secondOf(people, order)

  expect(namesOf(await page(people, { ...order, cursor, count: '2' }))).toEqual(['Kim', 'Ann'])
})

test('a count of 0 returns the total and no cursor (RFC 9865 §2)', async () => {
  const people = await startPeople()

  const reply = await page(people, { cursor: '', count: '0' })

  expect(reply).toMatchObject({ status: 200, body: { totalResults: 4, itemsPerPage: 0, Resources: [] } })
  expect(nextOf(reply)).toBeUndefined()
})

describe('an invalid cursor is refused', () => {
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
  ])('a forged payload, signed by the holder of the secret: %s', async (payload) => {
    const people = await startPeople()

    await expectRefused(
      people,
      async () => page(people, { cursor: signed(payload, people), count: '2' }),
      invalidCursor,
    )
  })

  test('a payload that the holder of the secret signs only reaches their own resources', async () => {
    const people = await startPeople()

    expect(namesOf(await page(people, { cursor: signed('[0,null,2,1790000000]', people), count: '2' }))).toEqual([
      'Kim',
      'Lou',
    ])
  })

  test('an altered, truncated or invented cursor is refused in the same words', async () => {
    const people = await startPeople()
    const cursor = await secondOf(people)
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
      'a'.repeat(5000),
    ]

    const details = new Set<unknown>()
    for (const cursor of forged) {
      await expectRefused(people, async () => page(people, { cursor, count: '2' }), invalidCursor)
      details.add((await page(people, { cursor, count: '2' })).body?.['detail'])
    }

    expect(details.size).toBe(1)
  })

  test('a cursor of another provider, filter, order or type', async () => {
    const people = await startPeople()
    const cursor = await secondOf(people, { filter: 'userName pr', sortBy: 'displayName' })
    const plain = await secondOf(people)
    const same = { filter: 'userName pr', sortBy: 'displayName', cursor, count: '2' }
    const send =
      (parameters: Readonly<Record<string, string>>, sent: Partial<ScimSent> = {}) =>
      () =>
        page(people, parameters, sent)

    await expectRefused(people, send(same, { provider: 'T2' }), invalidCursor)
    await expectRefused(people, send({ ...same, filter: 'title pr' }), invalidCursor)
    await expectRefused(people, send({ sortBy: 'displayName', cursor, count: '2' }), invalidCursor)
    await expectRefused(people, send({ ...same, sortBy: 'userName' }), invalidCursor)
    await expectRefused(people, send({ ...same, sortOrder: 'descending' }), invalidCursor)
    await expectRefused(people, () => people.send({ path: `/Groups?count=2&cursor=${plain}` }), invalidCursor)
    expect((await page(people, same)).status).toBe(200)
  })

  test('an expired cursor: after an hour, and not before', async () => {
    const people = await startPeople()
    const cursor = await secondOf(people)

    people.clock.advance(3599)
    expect((await page(people, { cursor, count: '2' })).status).toBe(200)
    people.clock.advance(1)

    await expectRefused(people, () => page(people, { cursor, count: '2' }), expiredCursor)
    await expectRefused(people, () => page(people, { cursor: `${cursor}x`, count: '2' }), invalidCursor)
  })

  test('a cursor with a count other than that of the first page', async () => {
    const people = await startPeople()
    const cursor = await secondOf(people)

    for (const parameters of [{ cursor, count: '3' }, { cursor, count: '0' }, { cursor }])
      await expectRefused(people, () => page(people, parameters), countChanged)
  })

  test.each(['-1', '201', '1e9', 'abc', '', '1.5', '9'.repeat(400)])(
    'a count of %j is not clamped, unlike by index',
    async (count) => {
      const people = await startPeople()

      await expectRefused(people, () => page(people, { cursor: '', count }), countOutOfRange)
    },
  )
})

describe('a cursor is valid as long as the secret that signed it', () => {
  test('adding a secret keeps the cursor, revoking its secret invalidates it', async () => {
    const people = await startPeople()
    const { storage, clock } = people
    const cursor = await secondOf(people)
    const newer = await addProviderSecret(
      'T1',
      { previousExpiresAt: clock.now() + 60 },
      { storage, clock: () => clock.now() },
    )
    const authorization = `Bearer ${newer}`

    expect((await page(people, { cursor, count: '2' })).status).toBe(200)
    expect((await page(people, { cursor, count: '2' }, { authorization })).status).toBe(200)
    clock.advance(60)

    const before = people.dump()
    expect(await page(people, { cursor, count: '2' }, { authorization })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidCursor' },
    })
    expect(people.dump().replaceAll(/"lastUsedAt": \d+/g, '')).toBe(before.replaceAll(/"lastUsedAt": \d+/g, ''))
  })

  test('revoking all secrets except the newest invalidates it', async () => {
    const people = await startPeople()
    const { storage, clock } = people
    const old = await secondOf(people)
    const authorization = `Bearer ${await addProviderSecret('T1', {}, { storage, clock: () => clock.now() })}`
    const newer = nextOf(await page(people, { cursor: '', count: '2' }, { authorization })) ?? ''

    await revokePreviousProviderSecrets('T1', { storage })

    expect(await page(people, { cursor: old, count: '2' }, { authorization })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidCursor' },
    })
    expect((await page(people, { cursor: newer, count: '2' }, { authorization })).status).toBe(200)
  })

  test('another process with the same storage accepts the cursor', async () => {
    const people = await startPeople()
    const cursor = await secondOf(people)
    const other = createScimServer({
      issuer: people.server.issuer,
      storage: people.storage,
      clock: () => people.clock.now(),
    })

    const response = await other.handle({
      method: 'GET',
      url: new URL(`${people.server.issuer}/scim/v2/enterprise-idps/T1/Users?count=2&cursor=${cursor}`),
      headers: new Map([['authorization', `Bearer ${people.secrets['T1']}`]]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new Uint8Array(),
    })

    expect(response.status).toBe(200)
    expect(String(response.body)).toContain('"displayName":"Max"')
  })

  test('a client with an access token can page, even without any secret', async () => {
    const token = { subject: 'c1', clientId: clientId('c1'), scopes: ['scim'], expiresAt: epochSeconds(2_000_000_000) }
    const scim = await startScim({ accessTokens: { accessToken: async () => token } })
    for (const userName of ['a', 'b', 'c'])
      await scim.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], userName } })
    const provider = await scim.storage.identityProviders.find(providerId('T1'))
    if (provider === undefined) throw new TypeError('T1 is not there.')
    await scim.storage.identityProviders.compareAndSwap(
      { ...provider, clientIds: [token.clientId], secrets: [] },
      provider.version,
    )
    const walk = (cursor: string) =>
      scim.send({ path: `/Users?count=2&cursor=${cursor}`, authorization: 'Bearer token' })

    const first = await walk('')
    const last = await walk(nextOf(first) ?? '')

    expect(new Set([...resourcesOf(first), ...resourcesOf(last)].map(({ userName }) => userName))).toEqual(
      new Set(['a', 'b', 'c']),
    )
    expect(await walk(`${nextOf(first)}x`)).toMatchObject({ status: 400, body: { scimType: 'invalidCursor' } })
  })
})

test('a resource that exists throughout is listed once, whatever is added or removed meanwhile', async () => {
  const directory = await startDirectory(150)
  const { people } = directory
  const leaving = new Set(people.filter((_, index) => index % 3 === 0))
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
    cursor = nextOf(reply)
  }
  await Promise.all(pending)

  expect(new Set(seen).size).toBe(seen.length)
  expect(people.filter((id) => !leaving.has(id) && !seen.includes(id))).toEqual([])
  expect(pending.length).toBeGreaterThan(100)
})

test('law: pages of any size, concatenated, are the list', async () => {
  const directory = await startDirectory(23)
  const whole = idsOf(await directory.send({ path: '/Users' }))

  for (const count of [1, 2, 5, 22, 23, 24, 200]) {
    const seen: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const reply: ScimReply = await page(directory, { cursor, count: String(count) })
      seen.push(...idsOf(reply))
      cursor = nextOf(reply)
    }
    expect(seen).toEqual(whole)
  }
})
