import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { allow, deny, signInAs, signInFully, startSignIn, tokens } from './sign-in-steps.ts'

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

test('with scripts off, a user signs in, consents and sees the tokens', async () => {
  const { page, consoleErrors } = await instance.openBrowser({ javaScriptEnabled: false })

  await signInFully(page, `${instance.url}/web/`)

  expect(await page.locator('#userinfo').innerText()).toContain('Ada Lovelace')
  expect(consoleErrors).toEqual([])
})

test('with scripts off, the client that needs a script says so and names the other one', async () => {
  const { page } = await instance.openBrowser({ javaScriptEnabled: false })

  await page.goto(`${instance.url}/spa/`)

  expect(await page.locator('main').innerText()).toContain('This app needs JavaScript')
  await page.getByRole('link', { name: 'Reading Room' }).click()
  await page.waitForURL('**/web/')
})

test('the page posts the response to the client (Form Post Response Mode §2)', async () => {
  const { page, consoleErrors } = await instance.openBrowser()
  const callbacks: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/web/callback')) callbacks.push(`${request.method()} ${new URL(request.url()).search}`)
  })

  await signInFully(page, `${instance.url}/web/`, ['As a posted form, not in the address'])

  expect(callbacks).toEqual(['POST '])
  expect(consoleErrors).toEqual([])
})

test('the page also posts a denial to the client (Form Post Response Mode §2)', async () => {
  const { page } = await instance.openBrowser()
  await startSignIn(page, `${instance.url}/web/`, ['As a posted form, not in the address'])
  await signInAs(page, 'ada')

  await deny(page)
  await page.waitForURL('**/web/')

  expect(await page.getByRole('alert').innerText()).toContain('access_denied')
})

test('with scripts off, a button posts the response (Form Post Response Mode)', async () => {
  const { page, consoleErrors } = await instance.openBrowser({ javaScriptEnabled: false })
  await startSignIn(page, `${instance.url}/web/`, ['As a posted form, not in the address'])
  await signInAs(page, 'ada')
  await allow(page)

  await page.getByRole('button', { name: 'Continue' }).click()
  await tokens(page).waitFor()

  expect(consoleErrors).toEqual([])
})
