import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { signInWithoutRendering } from './sign-in-without-rendering.ts'
import { allow, deny, shownClaims, signInAs, signInFully, startSignIn, tokens } from './sign-in-steps.ts'

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

describe.each(['spa', 'web'])('consent for the %s client', (client) => {
  test('a denial reaches the client as access_denied, and nothing is shown or remembered (RFC 6749 §4.1.2.1)', async () => {
    const { page, consoleErrors } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/${client}/`)
    await signInAs(page, 'ada')

    await deny(page)
    await page.getByRole('alert').waitFor()

    expect(await page.getByRole('alert').innerText()).toContain('access_denied')
    expect(await tokens(page).isVisible()).toBe(false)
    expect(consoleErrors).toEqual([])
    await startSignIn(page, `${instance.url}/${client}/`)
    await page.waitForURL('**/consent?*')
  })

  test('asks again when the client requests more, and shows what was allowed before', async () => {
    const { page, context } = await instance.openBrowser()
    await (client === 'web' ? signInAndLeave(page, context) : signInFully(page, `${instance.url}/${client}/`))

    await startSignIn(page, `${instance.url}/${client}/`, ['Your email address too'])
    await page.waitForURL('**/consent?*')
    const rows = await page.getByRole('listitem').allInnerTexts()
    await allow(page)
    await tokens(page).waitFor()

    expect(rows.map((row) => row.includes('You allowed this before'))).toEqual([false, true, false])
    expect(await shownClaims(page, 'userinfo')).toMatchObject({ email: 'ada@example.org', email_verified: true })
  })

  test('grants nothing that was left unchecked (RFC 6749 §3.3)', async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/${client}/`, ['Your email address too'])
    await signInAs(page, 'ada')

    await page.getByLabel('See your e-mail address').uncheck()
    await allow(page)
    await tokens(page).waitFor()

    expect((await shownClaims(page, 'access-token'))['scope']).toBe('openid profile')
    expect(await shownClaims(page, 'userinfo')).not.toHaveProperty('email')
  })
})

test('remembers consent: the second time it does not ask', async () => {
  const { page, context } = await instance.openBrowser()
  const visited: string[] = []
  await signInAndLeave(page, context)
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))

  await startSignIn(page, `${instance.url}/web/`)
  await tokens(page).waitFor()

  expect(visited).not.toContain('/consent')
  expect(visited).not.toContain('/login')
})

test('asks every time for a public client on loopback, which could be any program on the device (RFC 8252 §8.6)', async () => {
  const { page } = await instance.openBrowser()
  await signInFully(page, `${instance.url}/spa/`)

  await startSignIn(page, `${instance.url}/spa/`)
  await page.waitForURL('**/consent?*')
  await allow(page)

  await tokens(page).waitFor()
})

/** Signs in to the web client, consents, and leaves the client. */
async function signInAndLeave(page: Page, context: BrowserContext): Promise<void> {
  await signInWithoutRendering(context, `${instance.url}/web/`)
  await page.goto(`${instance.url}/web/`)
  await page.getByRole('button', { name: 'Leave this app' }).click()
}
