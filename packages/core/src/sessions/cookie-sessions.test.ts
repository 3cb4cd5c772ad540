import { clientId, epochSeconds, sessionId, userId } from '@mintmark/storage-interface'
import { aClientRecord, aJoin } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import type { Header, ServerRequest } from '@mintmark/internal'
import { createCookieSessions, type CookieSessionsOptions } from './cookie-sessions.ts'

async function aHost({
  issuer = 'https://as.test',
  ...options
}: { readonly issuer?: string } & Pick<CookieSessionsOptions, 'location'> = {}) {
  const storage = createMemoryStorage({ issuer })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: epochSeconds(0) })
  const time = { now: 1000 }
  const sessions = createCookieSessions({
    storage,
    clock: () => epochSeconds(time.now),
    idleLifetime: 600,
    absoluteLifetime: 3600,
    ...options,
  })
  return { storage, sessions, time }
}

const requestWith = (cookie = ''): ServerRequest => ({
  method: 'GET',
  url: new URL('https://as.test/'),
  headers: new Map(cookie === '' ? [] : [['cookie', cookie]]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

const cookieOf = (headers: readonly Header[]): string => headers[0]?.[1].split(';', 1)[0] ?? ''

describe('cookie sessions', () => {
  it('returns who signed in, how and when, and stores only a digest of the cookie', async () => {
    const { storage, sessions } = await aHost()

    const { headers } = await sessions.start(requestWith(), { subject: 'U1', amr: ['pwd'] })
    const cookie = cookieOf(headers)
    const signedIn = await sessions.signedIn(requestWith(cookie))

    expect(headers[0]?.[1]).toMatch(
      /^__Host-mintmark-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
    )
    expect(signedIn).toMatchObject({ subject: 'U1', authTime: 1000, amr: ['pwd'] })
    expect(JSON.stringify(await storage.sessions.listByUser(userId('U1'), epochSeconds(1000)))).not.toContain(
      cookie.split('=')[1],
    )
  })

  it('sets a cookie that ends with the browser session for a user who is not to be remembered', async () => {
    const { sessions } = await aHost()

    const { headers } = await sessions.start(requestWith(), { subject: 'U1', remember: false })

    expect(headers[0]?.[1]).toMatch(/; Secure$/)
    expect(await sessions.signedIn(requestWith(cookieOf(headers)))).toMatchObject({ subject: 'U1' })
  })

  it('names the cookie without __Host- over http on loopback, where browsers refuse that prefix', async () => {
    const { sessions } = await aHost({ issuer: 'http://localhost:3000' })

    const { headers } = await sessions.start(requestWith(), { subject: 'U1' })

    expect(headers[0]?.[1]).toMatch(/^mintmark-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/)
  })

  it('ends a session after the idle lifetime, and in any case after the absolute lifetime', async () => {
    const { sessions, time } = await aHost()
    const cookie = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)

    time.now += 599
    expect(await sessions.signedIn(requestWith(cookie))).toBeDefined()
    time.now += 600
    expect(await sessions.signedIn(requestWith(cookie))).toBeUndefined()

    const second = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)
    for (let passed = 0; passed < 3600; passed += 500) {
      await sessions.signedIn(requestWith(second))
      time.now += 500
    }
    expect(await sessions.signedIn(requestWith(second))).toBeUndefined()
  })

  it('invalidates the previous cookie at each sign-in, which prevents session fixation', async () => {
    const { sessions } = await aHost()
    const before = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)

    const after = cookieOf((await sessions.start(requestWith(before), { subject: 'U1' })).headers)

    expect(after).not.toBe(before)
    expect(await sessions.signedIn(requestWith(before))).toBeUndefined()
    expect(await sessions.signedIn(requestWith(after))).toBeDefined()
  })

  it('keeps the session and its clients when the same user signs in again', async () => {
    const { storage, sessions } = await aHost()
    const first = await sessions.start(requestWith(), { subject: 'U1' })
    const id = sessionId(first.signedIn.sessionId ?? '')
    const { session } = aJoin({ sessionId: id, userId: userId('U1') })
    await storage.sessions.join({ session, clientId: clientId('A'), now: epochSeconds(1000) })

    const second = await sessions.start(requestWith(cookieOf(first.headers)), { subject: 'U1', amr: ['otp'] })

    expect(second.signedIn).toMatchObject({ sessionId: id, amr: ['otp'] })
    expect(await sessions.signedIn(requestWith(cookieOf(second.headers)))).toEqual(second.signedIn)
    expect(await sessions.list('U1')).toHaveLength(1)
    expect(await storage.sessions.participants(id)).toHaveLength(1)
  })

  it('ends the previous session when another user signs in with the same browser', async () => {
    const { storage, sessions } = await aHost()
    await storage.users.insert({ userId: userId('U9'), claims: {}, createdAt: epochSeconds(0) })
    const first = await sessions.start(requestWith(), { subject: 'U1' })

    const second = await sessions.start(requestWith(cookieOf(first.headers)), { subject: 'U9' })

    expect(second.signedIn.sessionId).not.toBe(first.signedIn.sessionId)
    const ended = await storage.sessions.find(sessionId(first.signedIn.sessionId ?? ''))
    expect(ended).toMatchObject({ revokedAt: 1000, endReason: 'replaced' })
  })

  it('ends a session when its user is deactivated, and does not restore it when the user is reactivated', async () => {
    const { storage, sessions } = await aHost()
    const cookie = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)

    await storage.users.deactivate(userId('U1'), epochSeconds(1000))
    expect(await sessions.signedIn(requestWith(cookie))).toBeUndefined()
    await storage.users.reactivate(userId('U1'), epochSeconds(1000))

    expect(await sessions.signedIn(requestWith(cookie))).toBeUndefined()
  })

  it('signs out, and removes the cookie', async () => {
    const { sessions } = await aHost()
    const cookie = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)

    const headers = await sessions.end(requestWith(cookie))

    expect(headers[0]?.[1]).toContain('Max-Age=0')
    expect(await sessions.signedIn(requestWith(cookie))).toBeUndefined()
  })

  it('lists and revokes only the sessions of the user', async () => {
    const { storage, sessions } = await aHost()
    await storage.users.insert({ userId: userId('U9'), claims: {}, createdAt: epochSeconds(0) })
    const cookie = cookieOf((await sessions.start(requestWith(), { subject: 'U1' })).headers)
    const [own] = await sessions.list('U1')

    expect(await sessions.revoke('U9', own?.sessionId ?? '')).toBe('absent')
    expect(await sessions.signedIn(requestWith(cookie))).toBeDefined()
    expect(await sessions.revoke('U1', own?.sessionId ?? '')).toBe('revoked')

    expect(await sessions.signedIn(requestWith(cookie))).toBeUndefined()
    expect(await sessions.list('U1')).toEqual([])
  })

  it('lists the browser, the place, the last use and the clients of each session', async () => {
    const { storage, sessions, time } = await aHost({ location: async () => 'Zürich' })
    await storage.clients.insert(aClientRecord({ clientId: clientId('A'), clientName: 'App' }))
    const firefox = new Map([['user-agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0']])
    const { signedIn, headers } = await sessions.start({ ...requestWith(), headers: firefox }, { subject: 'U1' })
    const { session } = aJoin({ sessionId: sessionId(signedIn.sessionId ?? ''), userId: userId('U1') })
    for (const client of ['A', 'removed'])
      await storage.sessions.join({ session, clientId: clientId(client), now: epochSeconds(1005) })
    time.now += 100
    await sessions.signedIn(requestWith(cookieOf(headers)))

    expect(await sessions.list('U1')).toMatchObject([
      {
        userAgent: 'Firefox on Linux',
        location: 'Zürich',
        signedInAt: 1000,
        lastSeenAt: 1100,
        clients: [{ clientId: 'A', clientName: 'App', lastAt: 1005 }],
      },
    ])
  })

  it.each<readonly [string, object]>([
    ['amr', { amr: 'pwd' }],
    ['acr', { acr: null }],
    ['acrs', { acrs: 'mfa' }],
  ])('starts no session when %s of the sign-in has another type or is unknown', async (name, change) => {
    const { storage, sessions } = await aHost()

    await expect(sessions.start(requestWith(), { subject: 'U1', ...change })).rejects.toThrow(`start: ${name} `)

    expect(await storage.sessions.listByUser(userId('U1'), epochSeconds(1000))).toEqual([])
  })

  it.each([
    ['does not exist', 'nobody'],
    ['is deactivated', 'U2'],
  ])('starts no session for a user who %s', async (_case, subject) => {
    const { storage, sessions } = await aHost()
    await storage.users.insert({ userId: userId('U2'), claims: {}, createdAt: epochSeconds(0) })
    await storage.users.deactivate(userId('U2'), epochSeconds(1))

    const { signedIn, headers } = await sessions.start(requestWith(), { subject, amr: ['pwd'] })

    expect(headers).toEqual([])
    expect(signedIn).toEqual({ subject, authTime: 1000, amr: ['pwd'], acr: undefined })
    expect(await storage.sessions.listByUser(userId(subject), epochSeconds(1000))).toEqual([])
  })
})
