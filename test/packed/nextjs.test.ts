import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { challenge, encode } from '../support/flow.ts'
import { freePort } from '../support/free-port.ts'
import { navigate } from '../support/navigate.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'

const { packages } = inject('packed')

/** The example is an ordinary App Router project. Its users sign in to a client on another origin, in Chromium. */
describe('the Next.js example, installed from tarballs', () => {
  let folder: string
  let environment: Readonly<Record<string, string>>
  let client: Client
  let product: RunningProgram
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mintmark-nextjs-'))
    cpSync('examples/nextjs', folder, { recursive: true })
    const used = packages.filter(({ name }) => names.includes(name)).map(({ tarball }) => tarball)
    // Installing may need the machine's own settings, such as its proxy or certificates.
    run(['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...used], folder, process.env)
  })
  afterAll(() => {
    product?.stop()
    rmSync(folder, { recursive: true })
  })

  it('builds without any environment and creates no database', () => {
    run(['npm', 'run', 'build'], folder)

    expect(existsSync(join(folder, '.next/BUILD_ID'))).toBe(true)
    expect(existsSync(join(folder, 'mintmark.db'))).toBe(false)
  })

  describe('when it runs', () => {
    let authorizationRequest: string
    beforeAll(async () => {
      client = await openClient()
      const port = await freePort()
      environment = {
        ISSUER_URL: `http://localhost:${port}`,
        REDIRECT_URI: client.redirectUri,
        SEALING_KEY: Buffer.alloc(32, 7).toString('base64url'),
        SESSION_SECRET: 'a-secret-of-this-test-and-of-nothing-else',
      }
      run(['npm', 'run', 'setup'], folder, environment)
      const command = ['npm', 'start', '--', '--port', String(port), '--hostname', '127.0.0.1'] as const
      product = await startProgram({ command: [...command], cwd: folder, env: environment, port })
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
      await browser?.close()
      await client?.close()
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
      const signedIn = await page.request.post(`${environment['ISSUER_URL']}/api/sign-in`, {
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

    it('refuses a sign-in form that another site posts', async () => {
      const forged = await navigate(new URL(`${environment['ISSUER_URL']}/api/sign-in`), {
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

/** The packages that the example's package.json depends on. */
const names = ['adapter-fetch', 'core', 'pages', 'storage-interface', 'storage-sql'].map((name) => `@mintmark/${name}`)

/** Runs a command with the environment of a fresh machine and these variables. @throws Error if it fails. */
function run([program = '', ...args]: readonly string[], cwd: string, variables: object = {}): void {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', CI: '1', ...variables }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.\n${stdout}${stderr}`)
}
