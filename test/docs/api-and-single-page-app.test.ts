import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { freePort } from '../support/free-port.ts'
import { blocksOf, follow } from './follow-page.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const urls = {
  ISSUER_URL: await localUrl(),
  CLIENT_URL: await localUrl(),
  API_URL: await localUrl(),
  SPA_URL: await localUrl(),
}
let terminal: Terminal
let browser: Browser
let withoutToken: string
beforeAll(async () => {
  terminal = openTerminal({ ...urls, NODE_OPTIONS: '--conditions=@mintmark/source' })
  const environment = {
    terminal,
    npm: withoutNpm,
    programs: {
      'app.ts': urls.ISSUER_URL,
      'client.ts': urls.CLIENT_URL,
      'api.ts': urls.API_URL,
      'page.ts': urls.SPA_URL,
    },
  }
  const first = blocksOf('docs/tutorial/authorization-server.md')
  await follow(
    first.filter(({ code, source }) => !source.endsWith('client.ts') && !code.includes('client.ts')),
    environment,
  )
  withoutToken = await follow(blocksOf('docs/tutorial/api-and-single-page-app.md'), environment)
  browser = await launchChromium()
}, 180_000)
afterAll(() => Promise.all([browser.close(), terminal.close()]))

it('the API of the tutorial refuses a request without a token (RFC 6750 §3)', () => {
  expect(withoutToken).toBe('401\n')
})

it('the page of the tutorial calls the API, which refuses the token after the sign-out (RFC 7636, RFC 6750 §3.1)', async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)

  const { signedIn, access_token: token } = await signIn(page)
  await page.click('#orders')
  const shown = await outputOf(page, 'orders')
  const whileSignedIn = await callApi(token)
  await page.click('#out')

  expect({ signedIn, shown, whileSignedIn }).toEqual({
    signedIn: 'user-1',
    shown: shownJson(0),
    whileSignedIn: shownJson(0),
  })
  await expect.poll(() => callApi(token), { timeout: 10_000 }).toEqual(shownJson(1))
})

async function signIn(page: Page): Promise<{ readonly signedIn: string; readonly access_token: string }> {
  await page.goto(urls.SPA_URL)
  await page.click('#in')
  await page.fill('[name=username]', 'ann@example.com')
  await page.fill('[name=password]', 'example')
  await page.click('button[type=submit]')
  await page.click('button[value=allow]')
  return (await outputOf(page, 'signedIn')) as { readonly signedIn: string; readonly access_token: string }
}

/** Returns what the page shows, once it contains the member. */
async function outputOf(page: Page, member: string): Promise<unknown> {
  const output = page.locator('#output', { hasText: member })
  return JSON.parse(await output.innerText())
}

async function callApi(token: string): Promise<unknown> {
  const response = await fetch(`${urls.API_URL}/orders`, { headers: { authorization: `Bearer ${token}` } })
  return response.json()
}

const withoutNpm = (line: string): string => {
  if (line.includes('oidc-client-ts')) return ':'
  return line.startsWith('npm install')
    ? `ln -s ${join(process.cwd(), 'node_modules')} node_modules`
    : `echo '{ "type": "module" }' > package.json`
}

const shownJson = (index: number): unknown =>
  JSON.parse(
    blocksOf('docs/tutorial/api-and-single-page-app.md').filter(({ language }) => language === 'json')[index]?.code ??
      '',
  )

async function localUrl(): Promise<string> {
  return `http://localhost:${await freePort()}`
}
