import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openThirdPartySite, registerThirdPartyClient } from './third-party-site.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { consentWithoutRendering } from './sign-in-without-rendering.ts'
import { allow, shownClaims, signInAs, signInFully, startSignIn, tokens } from './sign-in-steps.ts'

// Users who leave the usual path: several tabs, the back button, other browsers, and other sites.
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

describe('the form of a page in Chromium (CSP 3 §6.4.1)', () => {
  test('consent leads to a client on another origin', async () => {
    const client = await openThirdPartySite()
    const start = await registerThirdPartyClient(instance, `${client.origin}/cb`)
    const { page, consoleErrors } = await instance.openBrowser()
    await page.goto(start)

    await signInAs(page, 'ada')
    await allow(page)
    await page.waitForURL(`${client.origin}/cb?*`)

    const answer = new URL(page.url()).searchParams
    expect([...answer.keys()].toSorted()).toEqual(['code', 'iss', 'state'])
    expect(consoleErrors).toEqual([])
    await client.close()
  })

  test('sign-in leads to the client when consent is remembered', async () => {
    const client = await openThirdPartySite()
    const start = await registerThirdPartyClient(instance, `${client.origin}/cb`, 'client_secret_basic')
    const { page, context, consoleErrors } = await instance.openBrowser()
    expect((await consentWithoutRendering(context, start)).url.href).toContain(`${client.origin}/cb?`)
    await context.clearCookies()

    await page.goto(start)
    await signInAs(page, 'ada')
    await page.waitForURL(`${client.origin}/cb?*`)

    expect(consoleErrors).toEqual([])
    await client.close()
  })
})

test('Cancel, sign-in and consent lead through a callback that redirects to further origins (CSP 3 §6.4.1)', async () => {
  const app = await openThirdPartySite()
  const broker = await openThirdPartySite({ '/back': new URL(`${app.origin}/home`) })
  const client = await openThirdPartySite({ '/cb': new URL(`${broker.origin}/back`) })
  const start = await registerThirdPartyClient(instance, `${client.origin}/cb`, 'client_secret_basic')
  const { page, context, consoleErrors } = await instance.openBrowser()
  const arrived = () => page.waitForURL(`${app.origin}/home`)

  await page.goto(start)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await arrived()
  await page.goto(start)
  await signInAs(page, 'ada')
  await allow(page)
  await arrived()
  await context.clearCookies()
  await page.goto(start)
  await signInAs(page, 'ada')
  await arrived()

  expect(consoleErrors).toEqual([])
  await Promise.all([app.close(), broker.close(), client.close()])
})

describe('a client that renews its tokens in a frame', () => {
  test.each(['query', 'form_post'])('receives the response in mode %s (OIDC Core §3.1.2.1)', async (mode) => {
    const pages: Record<string, string> = {}
    const client = await openThirdPartySite(pages)
    const start = await registerThirdPartyClient(instance, `${client.origin}/cb`, 'client_secret_basic')
    const { page, context, consoleErrors } = await instance.openBrowser()
    await consentWithoutRendering(context, start)
    pages['/app'] =
      `<iframe src="${start.replaceAll('&', '&amp;')}&amp;prompt=none&amp;response_mode=${mode}"></iframe>`

    await page.goto(`${client.origin}/app`)
    await page.frameLocator('iframe').getByText('back at the client').waitFor()

    expect(consoleErrors).toEqual([])
    await client.close()
  })
})

describe('an interaction', () => {
  test('its pages cannot be framed (RFC 9700 §4.16)', async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/web/`)
    const framing = await openThirdPartySite({ '/frame': `<iframe src="${page.url()}"></iframe>` })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))

    await page.goto(`${framing.origin}/frame`)
    await expect.poll(() => complaints.join()).toContain('frame-ancestors')

    expect(await page.frameLocator('iframe').getByLabel('Password').count()).toBe(0)
    await framing.close()
  })

  test('rejects a form that another site posts to it (RFC 9700 §4.7)', async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/web/`)
    await signInAs(page, 'ada')
    await page.waitForURL('**/consent?*')
    const consent = page.url()
    const form = `<form method="post" action="${consent}"><input name="decision" value="allow"><button>Win</button></form>`
    const attacker = await openThirdPartySite({ '/win': form })
    await page.goto(`${attacker.origin}/win`)

    const [response] = await Promise.all([page.waitForResponse(/\/consent/), page.getByRole('button').click()])

    expect(response.status()).toBe(403)
    await page.goto(consent)
    await allow(page)
    await tokens(page).waitFor()
    await attacker.close()
  })

  test('continues only in the browser that started it (RFC 9700 §4.7)', async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/web/`)
    const { page: elsewhere } = await instance.openBrowser()

    const response = await elsewhere.goto(page.url())

    expect(response?.status()).toBe(400)
    expect(await elsewhere.locator('main').innerText()).toContain('was started in another browser')
    expect(await elsewhere.getByLabel('Password').count()).toBe(0)
  })

  test('Cancel on the sign-in page leads back to the client, without a name or a password (RFC 6749 §4.1.2.1)', async () => {
    const client = await openThirdPartySite()
    const start = await registerThirdPartyClient(instance, `${client.origin}/cb`)
    const { page, consoleErrors } = await instance.openBrowser()
    await page.goto(start)

    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${client.origin}/cb?*`)

    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    expect(consoleErrors).toEqual([])
    await client.close()
  })

  test.each(['Allow', 'Deny'])(
    'answers the second of two presses of %s, which is the answer that the browser shows',
    async (label) => {
      const client = await openThirdPartySite()
      const start = await registerThirdPartyClient(instance, `${client.origin}/cb`)
      const { page } = await instance.openBrowser()
      await page.goto(start)
      await signInAs(page, 'ada')
      await page.waitForURL('**/consent?*')
      const answered = await holdFirstAnswer(page)

      await page.getByRole('button', { name: label }).scrollIntoViewIfNeeded()
      const button = await page.getByRole('button', { name: label }).boundingBox()
      // `click` of a locator would wait for the answer to the first form.
      const press = () => page.mouse.click((button?.x ?? 0) + 10, (button?.y ?? 0) + 10)
      await press()
      await answered()
      await press()
      // `waitForURL` fails when the first navigation is given up.
      await expect.poll(() => page.url()).toContain(`${client.origin}/cb?`)

      expect(new URL(page.url()).searchParams.has(label === 'Allow' ? 'code' : 'error')).toBe(true)
      await client.close()
    },
  )

  test.each(['spa', 'web'])(
    'after completion, the back button leads to a page that tells the user to start again at the app (%s client)',
    async (client) => {
      const { page } = await instance.openBrowser()
      await signInFully(page, `${instance.url}/${client}/`)

      await page.goBack()

      expect(page.url()).toContain('/consent?')
      expect(await page.getByRole('heading').innerText()).toBe('Something went wrong')
      expect(await page.locator('main').innerText()).toContain('Go back to the app that you came from and start again.')
      await startSignIn(page, `${instance.url}/spa/`)
    },
  )

  test('two tabs can sign in at the same time', async () => {
    const { page: first, context } = await instance.openBrowser()
    const second = await context.newPage()
    await startSignIn(first, `${instance.url}/spa/`)
    await startSignIn(second, `${instance.url}/web/`)
    await Promise.all([first.waitForURL('**/login?*'), second.waitForURL('**/login?*')])

    await signInAs(second, 'ada')
    await signInAs(first, 'ada')
    await Promise.all([first.waitForURL('**/consent?*'), second.waitForURL('**/consent?*')])
    await Promise.all([allow(first), allow(second)])
    await Promise.all([tokens(first).waitFor(), tokens(second).waitFor()])

    expect((await shownClaims(first, 'id-token'))['sub']).toBe((await shownClaims(second, 'id-token'))['sub'])
  })

  test('the user signs in again in a tab whose session another tab has replaced (OIDC Core §3.1.2.3)', async () => {
    const { page: first, context } = await instance.openBrowser()
    const second = await context.newPage()
    await startSignIn(first, `${instance.url}/spa/`)
    await startSignIn(second, `${instance.url}/spa/`)

    await signInAs(first, 'ada')
    await signInAs(second, 'grace')
    await Promise.all([first.waitForURL('**/consent?*'), second.waitForURL('**/consent?*')])
    expect(await first.locator('main').innerText()).toContain('Signed in as ada@example.org')
    await allow(second)
    await tokens(second).waitFor()
    await allow(first)
    await first.waitForURL('**/login?*')
    await signInAs(first, 'ada')
    await first.waitForURL('**/consent?*')
    await allow(first)
    await tokens(first).waitFor()

    expect(await shownClaims(first, 'userinfo')).toMatchObject({ name: 'Ada Lovelace' })
    expect(await shownClaims(second, 'userinfo')).toMatchObject({ name: 'Grace Hopper' })
  })

  test('completes only once when it is open in two tabs, and the slower tab shows an error', async () => {
    const { page: first, context } = await instance.openBrowser()
    await startSignIn(first, `${instance.url}/web/`)
    await signInAs(first, 'ada')
    await first.waitForURL('**/consent?*')
    const second = await context.newPage()
    await second.goto(first.url())

    await allow(first)
    await tokens(first).waitFor()
    await allow(second)

    await second.getByRole('heading', { name: 'Something went wrong' }).waitFor()
  })
})

/**
 * Lets the server answer the first form at once, but shows the answer to the browser only after the second form.
 * @returns a function that waits until the server has answered the first form.
 */
async function holdFirstAnswer(page: Page): Promise<() => Promise<void>> {
  const [first, second] = [createSignal(), createSignal()]
  let isFirst = true
  await page.route('**/consent?*', async (route) => {
    if (!isFirst) {
      second.give()
      return route.continue()
    }
    isFirst = false
    const response = await route.fetch({ maxRedirects: 0 })
    first.give()
    await second.given
    return route.fulfill({ response })
  })
  return () => first.given
}

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}
