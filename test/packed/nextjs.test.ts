import { cpSync, existsSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'

import { migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { challenge, encode } from '../support/flow.ts'
import { freePort } from '../support/free-port.ts'
import { navigate } from '../support/navigate.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import { createNextProject, removeFonts, run } from './next-project.ts'

const { packages } = inject('packed')

/**
 * The example is laid over the project that today's `create-next-app` makes, with its defaults. Its users sign in to a client on
 * another origin, in Chromium.
 */
const project = await createNextProject()
if (project === undefined) console.warn('The npm registry did not answer, so no project of create-next-app is tested.')

// Skipped only in an outage of the registry, which must not fail the tests; the warning above says so.
describe.skipIf(project === undefined)("the Next.js example, in a project of today's create-next-app", () => {
  const folder = project ?? ''

  beforeAll(() => {
    cpSync('examples/nextjs', folder, { recursive: true })
    removeFonts(folder)
    const used = packages.filter(({ name }) => names.includes(name)).map(({ tarball }) => tarball)
    // Installing may need the machine's own settings, such as its proxy or certificates.
    const install = ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund']
    run([...install, ...used, 'pg', '@types/pg'], { cwd: folder, env: process.env })
  })
  afterAll(() => rmSync(dirname(folder), { recursive: true }))

  it('builds without any environment and creates no database', () => {
    run(['npm', 'run', 'build'], { cwd: folder })

    expect(existsSync(join(folder, '.next/BUILD_ID'))).toBe(true)
    expect(existsSync(join(folder, 'mintmark.db'))).toBe(false)
  })

  describe.each([
    ['SQLite', async () => ({})],
    ['PostgreSQL', async () => ({ DATABASE_URL: await migratedDatabase() })],
  ])('on %s', (_, database) => {
    let authorizationRequest: string
    let environment: Readonly<Record<string, string>>
    let client: Client
    let product: RunningProgram
    let browser: Browser
    let page: Page

    beforeAll(async () => {
      client = await openClient()
      const port = await freePort()
      environment = {
        ...(await database()),
        ISSUER_URL: `http://localhost:${port}/id`,
        REDIRECT_URI: client.redirectUri,
        POST_LOGOUT_REDIRECT_URI: new URL('/signed-out', client.redirectUri).href,
        SEALING_KEY: Buffer.alloc(32, 7).toString('base64url'),
        SESSION_SECRET: 'a-secret-of-this-test-and-of-nothing-else',
      }
      run(['node', 'setup.mjs'], { cwd: folder, env: environment })
      const command = ['npm', 'start', '--', '--port', String(port), '--hostname', '127.0.0.1'] as const
      product = await startProgram({
        command: [...command],
        cwd: folder,
        env: environment,
        port,
        readyPath: '/id/jwks',
      })
      authorizationRequest = `${environment['ISSUER_URL']}/auth?${encode({
        client_id: 'partner',
        redirect_uri: client.redirectUri,
        response_type: 'code',
        scope: 'openid profile',
        state: 's1',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })}`
      browser = await launchChromium()
      page = await browser.newPage({ userAgent: browserName })
    })
    afterAll(async () => {
      product?.stop()
      await browser?.close()
      await client?.close()
    })

    it('serves both discovery documents, and leaves every other address to the product', async () => {
      const statusOf = async (path: string) => (await fetch(new URL(path, environment['ISSUER_URL']))).status
      const unknown = await fetch(new URL('/pricng', environment['ISSUER_URL']))

      expect(await statusOf('/id/.well-known/openid-configuration')).toBe(200)
      expect(await statusOf('/.well-known/oauth-authorization-server/id')).toBe(200)
      expect(await statusOf('/id/pricng')).toBe(404)
      expect(unknown.status).toBe(404)
      expect(unknown.headers.get('content-type')).toContain('text/html')
      expect(await unknown.text()).toContain('This page could not be found')
    })

    const signIn = async (): Promise<void> => {
      await page.getByLabel('E-mail').fill('ann@example.com')
      await page.getByLabel('Password').fill('example')
      await page.getByRole('button', { name: 'Sign in' }).click()
    }

    it('the first sign-in asks for consent, and the browser gets the code', async () => {
      await page.goto(authorizationRequest)
      await signIn()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(`${client.redirectUri}?*`)

      expect(client.received).toEqual([{ userAgent: browserName, hasCode: true }])
    })

    it('the second sign-in, with consent remembered, gives the code to the browser once', async () => {
      client.received.length = 0
      await page.goto(`${authorizationRequest}&prompt=login`)
      await signIn()
      await page.waitForURL(`${client.redirectUri}?*`)

      expect(client.received).toEqual([{ userAgent: browserName, hasCode: true }])
    })

    it('a request that Next.js sends after a Server Action does not complete the interaction, and the browser still can', async () => {
      client.received.length = 0
      await page.goto(`${authorizationRequest}&prompt=login`)
      const back = new URL(await page.locator('input[name="return_to"]').inputValue(), environment['ISSUER_URL'])
      // Signs in without following the redirect, as if a Server Action had done it.
      const signedIn = await page.request.post(`${back.origin}/api/sign-in`, {
        form: { email: 'ann@example.com', password: 'example', return_to: back.pathname + back.search },
        headers: { origin: back.origin },
        maxRedirects: 0,
      })
      const cookies = await page.context().cookies(back.href)
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')

      // Next.js follows the redirect of a Server Action in this way.
      const fetched = await fetch(back, { headers: { cookie, rsc: '1' } })
      await page.goto(back.href)
      await page.waitForURL(`${client.redirectUri}?*`)

      expect(signedIn.status()).toBe(303)
      expect(fetched.status).toBe(400)
      expect(product.output()).toContain('not_a_navigation')
      expect(client.received).toEqual([{ userAgent: browserName, hasCode: true }])
    })

    it('signing out of the product revokes the session, and the next authorization request asks for the password', async () => {
      const origin = new URL(environment['ISSUER_URL'] ?? '').origin
      const signedOut = await page.request.post(`${origin}/api/sign-out`, { headers: { origin }, maxRedirects: 0 })
      await page.goto(authorizationRequest)

      expect(signedOut.status()).toBe(303)
      await page.getByLabel('Password').waitFor()
    })

    it('a client signs the user out of the product', async () => {
      await signIn()
      await page.waitForURL(`${client.redirectUri}?*`)
      await page.goto(`${environment['ISSUER_URL']}/session/end`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.goto(authorizationRequest)

      await page.getByLabel('Password').waitFor()
    })

    it('refuses a sign-in form that another site posts', async () => {
      const forged = await navigate(new URL('/api/sign-in', environment['ISSUER_URL']), {
        method: 'POST',
        headers: { origin: 'https://attacker.example' },
        body: new URLSearchParams({ email: 'ann@example.com', password: 'example' }),
      })

      expect(forged.status).toBe(403)
      expect(forged.headers.getSetCookie()).toEqual([])
    })
  })
})

/** A client on another origin, which records who requests its callback. */
interface Client {
  readonly redirectUri: string
  readonly received: { userAgent: string | undefined; hasCode: boolean }[]
  close(): Promise<void>
}

async function openClient(): Promise<Client> {
  const received: Client['received'] = []
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/callback')
      received.push({ userAgent: request.headers['user-agent'], hasCode: searchParams.has('code') })
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end('<!doctype html><link rel="icon" href="data:,">back at the client')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const browserName = 'the browser of this test'

/** The packages that the example imports. */
const names = ['adapter-fetch', 'core', 'pages', 'storage-interface', 'storage-sql'].map((name) => `@mintmark/${name}`)

/** Creates an empty database with the tables of Mintmark. @returns its address. */
async function migratedDatabase(): Promise<string> {
  const database = await aDatabase()
  await migrate({ dialect: toPostgresDialect(database.pool()) })
  return database.url
}
