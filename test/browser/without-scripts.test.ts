import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openStage, type Stage } from './stage.ts'
import { allow, deny, signInAs, signInFully, startSignIn, tokens } from './walk.ts'

let browser: Browser
let stage: Stage

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

beforeEach(async () => {
  stage = await openStage(browser)
  return () => stage.close()
})

test('with scripts off, a person signs in, consents and sees the tokens', async () => {
  const { page, complaints } = await stage.openBrowser({ javaScriptEnabled: false })

  await signInFully(page, `${stage.url}/web/`)

  expect(await page.locator('#userinfo').innerText()).toContain('Ada Lovelace')
  expect(complaints).toEqual([])
})

test('with scripts off, the client that is a script says so and names the other', async () => {
  const { page } = await stage.openBrowser({ javaScriptEnabled: false })

  await page.goto(`${stage.url}/spa/`)

  expect(await page.locator('main').innerText()).toContain('This app needs JavaScript')
  await page.getByRole('link', { name: 'Reading Room' }).click()
  await page.waitForURL('**/web/')
})

test('Form Post Response Mode §2: the answer posts itself to the client', async () => {
  const { page, complaints } = await stage.openBrowser()
  const callbacks: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/web/callback')) callbacks.push(`${request.method()} ${new URL(request.url()).search}`)
  })

  await signInFully(page, `${stage.url}/web/`, ['As a posted form, not in the address'])

  expect(callbacks).toEqual(['POST '])
  expect(complaints).toEqual([])
})

test('Form Post Response Mode §2: a denial is posted too', async () => {
  const { page } = await stage.openBrowser()
  await startSignIn(page, `${stage.url}/web/`, ['As a posted form, not in the address'])
  await signInAs(page, 'ada')

  await deny(page)
  await page.waitForURL('**/web/')

  expect(await page.getByRole('alert').innerText()).toContain('access_denied')
})

test('Form Post Response Mode: with scripts off a button posts the answer', async () => {
  const { page, complaints } = await stage.openBrowser({ javaScriptEnabled: false })
  await startSignIn(page, `${stage.url}/web/`, ['As a posted form, not in the address'])
  await signInAs(page, 'ada')
  await allow(page)

  await page.getByRole('button', { name: 'Continue' }).click()
  await tokens(page).waitFor()

  expect(complaints).toEqual([])
})
