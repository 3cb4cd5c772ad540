import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { createPages } from '@mintmark/pages'
import { arabic, english } from '@mintmark/pages/languages'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { servePages } from '../../packages/pages/test/browser/serve-pages.ts'
import { gallery } from '../../packages/pages/src/gallery.ts'
import { axeFindings } from './axe.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { signInWithoutRendering } from './sign-in-without-rendering.ts'
import { passwordOf, startSignIn, tokens } from './sign-in-steps.ts'

let browser: Browser
let instance: ExampleInstance

beforeAll(async () => {
  browser = await launchChromium()
  instance = await openExample(browser)
})

afterAll(async () => {
  await instance.close()
  await browser.close()
})

test.each([
  { locale: 'en', username: 'grace', password: passwordOf('grace') },
  { locale: 'ar', username: 'alan', password: passwordOf('alan') },
])(
  'axe finds no violation on the pages from the sign-in to the sign-out ($locale)',
  async ({ locale, username, password }) => {
    const { page } = await instance.openBrowser({ locale })
    const findings: string[] = []
    const languages: (string | null)[] = []
    const inspect = async () => {
      languages.push(await page.locator('html').getAttribute('lang'))
      findings.push(...(await axeFindings(page)))
    }

    await startSignIn(page, `${instance.url}/web/`)
    await inspect()
    await fill(page, username, 'wrong')
    await page.getByRole('alert').waitFor()
    await inspect()
    await fill(page, username, password)
    await page.locator('button[value=allow]').waitFor()
    await inspect()
    await page.locator('button[value=allow]').click()
    await tokens(page).waitFor()
    findings.push(...(await axeFindings(page)))
    await page.goto(`${instance.url}/auth?client_id=nobody`)
    await inspect()
    await page.goto(`${instance.url}/session/end?id_token_hint=forged&client_id=pocket-notes`)
    await inspect()
    await page.locator('button[value=stay]').click()
    await inspect()
    await page.goto(`${instance.url}/session/end?client_id=pocket-notes`)
    await inspect()
    await page.locator('button[value=sign_out]').click()
    await inspect()

    expect(findings).toEqual([])
    expect(languages).toEqual(Array.from({ length: 8 }, () => locale))
  },
)

/** A logo of one transparent pixel. */
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Every setting of the branding, at its limit: the contrast of the colours is just above the required minimum. */
const extremes = {
  productName: 'W'.repeat(60),
  logo,
  logoDark: logo,
  colors: {
    light: { accent: '#656565', accentText: '#ffffff', background: '#ffffff' },
    dark: { accent: '#ffffff', accentText: '#000000', background: '#000000' },
  },
  footerLinks: Array.from({ length: 6 }, (_, at) => ({
    label: `${'Link '.repeat(9)}${at}`,
    url: 'https://room.test/',
  })),
  forgotPasswordUrl: 'https://room.test/forgot',
  createAccountUrl: 'https://room.test/join',
}

test.each([
  { lang: 'en', look: 'unbranded', messages: english },
  { lang: 'ar', look: 'unbranded', messages: arabic },
  { lang: 'en', look: 'branded', messages: english, branding: extremes },
])('axe finds no violation on any page, in light and dark colours ($lang, $look)', async ({ messages, branding }) => {
  const pages = gallery(createPages({ languages: [messages], branding }))
  const byPath = Object.fromEntries(Object.entries(pages).map(([name, response]) => [`/${name}`, response]))
  const site = await servePages(byPath, () => ({ status: 204, headers: [], body: undefined }))
  const { page } = await instance.openBrowser()
  const findings: string[] = []

  for (const path of Object.keys(byPath)) {
    await page.goto(site.origin + path)
    expect(await page.locator('html').getAttribute('dir')).toBe(messages.dir)
    findings.push(...(await axeFindings(page)))
  }
  await site.close()

  expect(findings).toEqual([])
})

test('axe finds no violation on the other pages of the example and of the console', async () => {
  const { page, context } = await instance.openBrowser()
  await signInWithoutRendering(context, `${instance.url}/web/`)
  const findings: string[] = []

  for (const path of paths) {
    const answer = await page.goto(instance.url + path)
    expect([path, answer?.status()]).toEqual([path, path.endsWith('(') ? 400 : 200])
    findings.push(...(await axeFindings(page)))
  }

  expect(findings).toEqual([])
})

const paths = [
  '/',
  '/spa/',
  '/web/',
  '/provisioned',
  '/console',
  '/console/users',
  '/console/users?q=nobody',
  '/console/users?q=(',
  '/console/clients',
  '/console/clients/pocket-notes',
  '/console/clients/pocket-notes/disable',
  '/console/new-client',
  '/console/new-client?kind=web',
  '/console/directories',
  '/console/directories/example-corp',
  '/console/new-directory',
  '/console/organizations',
  '/console/deliveries',
  '/console/audit',
  '/console/keys',
]

/** Fills in and submits the sign-in page in any language. */
async function fill(page: Page, username: string, password: string): Promise<void> {
  await page.locator('#username').fill(username)
  await page.locator('#password').fill(password)
  await page.locator('main button.primary').click()
}
