import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { allow, signInAs, signInFully, startSignIn, tokens } from './sign-in-steps.ts'

let browser: Browser
let instance: ExampleInstance

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

beforeEach(async () => {
  instance = await openExample(browser)
  return () => instance.close()
})

test('a signed-in user chooses the account to continue with, or another one (OIDC Core §3.1.2.1)', async () => {
  const { page, consoleErrors } = await instance.openBrowser()
  const client = `${instance.url}/spa/`
  await signInFully(page, client)
  await askForAccounts(page)

  await startSignIn(page, client)
  await page.getByRole('button', { name: 'ada@example.org' }).click()
  await allow(page)
  await tokens(page).waitFor()
  const first = await tokens(page).innerText()
  await startSignIn(page, client)
  await page.getByRole('link', { name: 'Use another account' }).click()
  await signInAs(page, 'grace')
  await allow(page)
  await tokens(page).waitFor()

  expect([first, await tokens(page).innerText()]).toEqual(['Signed in as Ada Lovelace', 'Signed in as Grace Hopper'])
  expect(consoleErrors).toEqual([])
})

/** Adds `prompt=select_account` to the authorization requests of the page. */
async function askForAccounts(page: Page): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === '/auth',
    (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.get('prompt') === 'select_account') return route.fallback()
      url.searchParams.set('prompt', 'select_account')
      return route.fulfill({ status: 302, headers: { location: url.href } })
    },
  )
}
