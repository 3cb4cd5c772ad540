import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import { epochSeconds, userId, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createApp } from '../../packages/create-mintmark/template/frameworks/express/code/app.ts'
import { openTables } from '../../packages/create-mintmark/template/databases/sqlite/code/database.ts'
import { createSite } from '../../packages/create-mintmark/template/users/ours/code/create-site.ts'
import { type KnownBrowsers, knownBrowsers } from '../../packages/create-mintmark/template/shared/code/known-browser.ts'
import { openUsers, type Users } from '../../packages/create-mintmark/template/users/ours/code/users.ts'
import { openBrowser, type Browser } from '../../packages/create-mintmark/template/browser/test/browser.ts'
import { baseRequest, encode } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'

let issuer: string
let users: Users
let close: () => Promise<void>
beforeEach(async () => {
  const listener = createServer()
  await new Promise<void>((done) => listener.listen(0, 'localhost', done))
  issuer = `http://localhost:${(listener.address() as AddressInfo).port}`
  const storage: AdminStorage = createMemoryStorage({ issuer })
  await registerClient(
    { clientId: 'A', clientName: 'App', redirectUris: [baseRequest.redirect_uri], scopes: ['openid', 'profile'] },
    { storage },
  )
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: epochSeconds(1) })
  users = await quickUsers()
  listener.on(
    'request',
    createApp(
      await createSite({
        issuer,
        storage,
        users,
        sealingKey: Buffer.alloc(32, 7).toString('base64url'),
        tryKey: '',
        logger: silent,
      }),
      { trustedProxies: 'loopback' },
    ),
  )
  close = () => new Promise((done) => listener.close(() => done()))
})
afterEach(async () => {
  await close()
})

/** One user, with a password hash that is cheap to verify. */
const quickUsers = async (): Promise<Users> => ({
  ...(await openUsers({ tables: openTables(':memory:') })),
  verify: ({ username, password }) => Promise.resolve(username === 'ada' && password === 'engine' ? ada : undefined),
  find: async () => ada,
  findByName: async (name) => (name === ada.username || name === ada.email ? ada : undefined),
})

const ada = {
  directory: '',
  subject: 'U1',
  username: 'ada',
  email: 'ada@example.org',
  givenName: 'Ada',
  familyName: 'Lovelace',
}
const nothing = (): void => undefined
const silent = { info: nothing, warn: nothing, error: nothing }

const signInPage = (browser: Browser) => browser.open(new URL(`${issuer}/auth?${encode(baseRequest)}`))

/** Tells whether the browser reaches the consent page with this password. */
async function signsIn(browser: Browser, password: string, username = 'ada'): Promise<boolean> {
  const answer = await browser.fillIn(await signInPage(browser), { username, password })
  return answer.url.pathname === '/consent'
}

/** Tells whether the server checks a password from these addresses: the client, and proxies in front of this machine. */
async function isCheckedFrom(addresses: string, username: string): Promise<boolean> {
  const browser = openBrowser(issuer, { 'x-forwarded-for': addresses })
  const { html } = await browser.fillIn(await signInPage(browser), { username, password: 'guess' })
  return !html.includes('Wait a few minutes')
}

const runTimes = <T>(count: number, run: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

describe('the starter limits password guessing (RFC 6749 §10.10)', () => {
  it('by user name: after ten attempts in five minutes even the right password is refused', async () => {
    await runTimes(10, () => signsIn(openBrowser(issuer), 'guess'))

    expect(await signsIn(openBrowser(issuer), 'engine')).toBe(false)
  })

  it('the limit does not lock the user out of a browser in which they have signed in before', async () => {
    const own = openBrowser(issuer)
    expect(await signsIn(own, 'engine')).toBe(true)
    await runTimes(10, () => signsIn(openBrowser(issuer), 'guess'))

    // The earlier sign-in continues as a session; the client asks for a new sign-in.
    const again = await own.open(new URL(`${issuer}/auth?${encode({ ...baseRequest, prompt: 'login' })}`))
    const answer = await own.fillIn(again, { username: 'ada', password: 'engine' })

    expect(answer.url.pathname).toBe('/consent')
    expect(await signsIn(openBrowser(issuer), 'engine')).toBe(false)
  })

  it('a known browser does not get unlimited attempts', async () => {
    const own = openBrowser(issuer)
    await signsIn(own, 'engine')
    const again = await own.open(new URL(`${issuer}/auth?${encode({ ...baseRequest, prompt: 'login' })}`))
    await runTimes(10, () => own.fillIn(again, { username: 'ada', password: 'guess' }))

    const answer = await own.fillIn(again, { username: 'ada', password: 'engine' })

    expect(answer.url.pathname).toBe('/login')
  })

  it('by address: after a hundred attempts in five minutes, with any user names, further attempts are refused', async () => {
    const checked = await runTimes(101, (index) => isCheckedFrom('203.0.113.7', `name-${index}`))

    expect(checked.filter((isChecked) => !isChecked)).toHaveLength(1)
    expect(await isCheckedFrom('203.0.113.8', 'name')).toBe(true)
  })

  it('ignores addresses that a browser adds in front of its own', async () => {
    const checked = await runTimes(101, (index) => isCheckedFrom(`10.0.0.${index}, 10.1.2.3`, `name-${index}`))

    expect(checked.filter((isChecked) => !isChecked)).toHaveLength(1)
  })

  it('counts the attempts with all names of a user together', async () => {
    await runTimes(5, () => signsIn(openBrowser(issuer), 'guess'))
    await runTimes(5, () => signsIn(openBrowser(issuer), 'guess', 'ada@example.org'))

    expect(await signsIn(openBrowser(issuer), 'engine')).toBe(false)
  })

  it.each([
    ['a cookie for this user name', { issuer: 'https://as.test', key: 'k' }, 'ada', true],
    ['a cookie for another user name', { issuer: 'https://as.test', key: 'k' }, 'bob', false],
    ['a cookie made without the key', { issuer: 'https://as.test', key: 'guess' }, 'ada', false],
    ['a cookie of another issuer', { issuer: 'https://as.test/other', key: 'k' }, 'ada', false],
  ])('identifies a known browser only by its own cookie: %s', (_, maker, username, isKnown) => {
    const request = requestAfterSignIns(knownBrowsers(maker), ['ada'])

    expect(knownBrowsers({ issuer: 'https://as.test', key: 'k' }).isKnown(request, username)).toBe(isKnown)
  })

  it('identifies a known browser of the last five users who signed in with it', () => {
    const browsers = knownBrowsers({ issuer: 'https://as.test', key: 'k' })
    const names = ['ada', 'bob', 'cid', 'dan', 'eve', 'fay']

    const request = requestAfterSignIns(browsers, [...names, 'bob', 'bob'])

    expect(names.filter((name) => browsers.isKnown(request, name))).toEqual(['bob', 'cid', 'dan', 'eve', 'fay'])
  })
})

/** Returns the next request of a browser with which these users have signed in, in this order. */
const requestAfterSignIns = (browsers: KnownBrowsers, users: readonly string[]): ServerRequest =>
  users.reduce(
    (request, user) => {
      const [, header] = browsers.remember(request, user)
      return plainRequest('https://as.test', { path: '/login', headers: { cookie: header.split(';', 1)[0] ?? '' } })
    },
    plainRequest('https://as.test', { path: '/login' }),
  )
