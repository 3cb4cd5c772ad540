import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { logoutPage } from '@mintmark/pages'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { signInFully, startSignIn, tabTo } from './sign-in-steps.ts'

// A user signs out of the example in Chromium.
let browser: Browser
let instance: ExampleInstance

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

describe('RP-Initiated Logout', () => {
  beforeEach(async () => {
    instance = await openExample(browser)
    return () => instance.close()
  })

  test('ends the session at the server and returns to the client (RP-Initiated Logout §3)', async () => {
    const { page, consoleErrors } = await instance.openBrowser()
    await signInFully(page, `${instance.url}/web/`)

    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    const back = page.url()
    await startSignIn(page, `${instance.url}/spa/`)
    await page.getByLabel('Password').waitFor()

    expect(back).toBe(`${instance.url}/web/`)
    expect(consoleErrors).toEqual([])
  })

  test('asks when the request proves nothing; a user signs out by keyboard alone (WCAG 2.2 §2.1.1)', async () => {
    const { page, consoleErrors } = await instance.openBrowser()
    await signInFully(page, `${instance.url}/web/`)

    await page.goto(`${instance.url}/session/end`)
    await tabTo(page.getByRole('button', { name: 'Sign out' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await startSignIn(page, `${instance.url}/spa/`)
    await page.getByLabel('Password').waitFor()

    expect(consoleErrors).toEqual([])
  })

  test('a user who chooses to stay is still signed in', async () => {
    const { page } = await instance.openBrowser()
    await signInFully(page, `${instance.url}/web/`)

    await page.goto(`${instance.url}/session/end`)
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await page.getByRole('heading', { name: 'You are still signed in' }).waitFor()
    await page.goto(`${instance.url}/`)

    expect(await page.locator('body').textContent()).toContain('Ada')
  })
})

describe('the page with front-channel frames (Front-Channel Logout §3)', () => {
  let servers: Server[] = []
  let loaded: string[] = []
  beforeEach(() => {
    loaded = []
    return () => {
      for (const server of servers) server.close()
      for (const server of servers) server.closeAllConnections()
      servers = []
    }
  })

  /** Starts a client's site. Its path `/hang` never responds. */
  async function aSite(pages: Readonly<Record<string, ReturnType<typeof logoutPage>>> = {}): Promise<string> {
    const server = createServer((request, response) => {
      const page = pages[request.url ?? '']
      loaded.push(`${request.headers.host} ${request.url}`)
      if (page !== undefined) response.writeHead(page.status, page.headers.flat()).end(page.body)
      else if (request.url !== '/hang') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async function open(frames: readonly string[], continueTo: string, javaScriptEnabled = true): Promise<Page> {
    const site = await aSite({ '/out': logoutPage({ kind: 'signed_out', status: 200, frames, continueTo }) })
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${site}/out`, { waitUntil: 'commit' })
    return page
  }

  test('loads each frame, then continues to the client', async () => {
    const [a, b] = [await aSite(), await aSite()]

    const page = await open([`${a}/out?iss=x&sid=y`, `${b}/out`], `${b}/bye?state=s`)
    await page.waitForURL(`${b}/bye?state=s`)

    const hosts = [a, b].map((url) => new URL(url).host)
    expect(loaded).toContain(`${hosts[0]} /out?iss=x&sid=y`)
    expect(loaded).toContain(`${hosts[1]} /out`)
  })

  test('continues to the client after three seconds when a frame does not load', async () => {
    const a = await aSite()

    const page = await open([`${a}/hang`], `${a}/bye`)
    await page.waitForURL(`${a}/bye`)

    expect(loaded).toContain(`${new URL(a).host} /hang`)
  })

  test('continues to the client without scripts', async () => {
    const a = await aSite()

    const page = await open([`${a}/out`], `${a}/bye`, false)
    await page.waitForURL(`${a}/bye`)

    expect(loaded).toContain(`${new URL(a).host} /out`)
  })
})
