import { join } from 'node:path'

import { epochSeconds, userId } from '@mintmark/storage-interface'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { openTables } from '../../packages/create-mintmark/template/databases/sqlite/code/database.ts'
import { openUsers } from '../../packages/create-mintmark/template/users/ours/code/users.ts'
import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { signInWithoutRendering } from './sign-in-without-rendering.ts'
import { allow, shownClaims, signInAs, signInFully, startSignIn, tabTo, tokens } from './sign-in-steps.ts'
import { useStorage } from './use-storage.ts'

// A user signs in to both clients of the example in a real Chromium.
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

describe.each(['spa', 'web'])('the %s client', (client) => {
  test('lets a user sign in, consent and get tokens by keyboard alone (WCAG 2.2 §2.1.1)', async () => {
    const { page, consoleErrors } = await instance.openBrowser()
    await page.goto(instance.url)

    await tabTo(page.locator(`a[href="/${client}/"]`))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${client}/`)
    await tabTo(page.getByRole('button', { name: 'Sign in', exact: true }))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/login?*')
    await tabTo(page.getByLabel('Email or username'))
    await page.keyboard.type('ada@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type('engine')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/consent?*')
    await tabTo(page.getByRole('button', { name: 'Allow' }))
    await page.keyboard.press('Enter')
    await tokens(page).waitFor()

    const [userinfo, idToken, accessToken] = [
      await shownClaims(page, 'userinfo'),
      await shownClaims(page, 'id-token'),
      await shownClaims(page, 'access-token'),
    ]
    expect(userinfo).toEqual({
      sub: accessToken['sub'],
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferred_username: 'ada',
    })
    expect(idToken).toMatchObject({ iss: instance.url, sub: userinfo['sub'], name: 'Ada Lovelace', amr: ['pwd'] })
    expect(accessToken).toMatchObject({ iss: instance.url, client_id: idToken['aud'], scope: 'openid profile' })
    expect(consoleErrors).toEqual([])
  })

  test('the code does not remain in the URL of the page (RFC 9700 §4.3.1)', async () => {
    const { page } = await instance.openBrowser()

    await signInFully(page, `${instance.url}/${client}/`)

    expect(page.url()).toBe(`${instance.url}/${client}/`)
  })

  test('a signed-in user signs in to the next client without a password', async () => {
    const { page } = await instance.openBrowser()
    const other = client === 'spa' ? 'web' : 'spa'
    await signInFully(page, `${instance.url}/${client}/`)
    const { sub } = await shownClaims(page, 'id-token')

    await startSignIn(page, `${instance.url}/${other}/`)
    await allow(page)
    await tokens(page).waitFor()

    expect((await shownClaims(page, 'id-token'))['sub']).toBe(sub)
  })
})

describe('the sign-in page', () => {
  test.each([
    ['a wrong password', 'ada', 'difference'],
    ['an unknown name', 'mallory', 'difference'],
  ])(
    'gives the same friendly message for %s, keeps the name and allows another attempt',
    async (_case, username, password) => {
      const { page } = await instance.openBrowser()
      await startSignIn(page, `${instance.url}/web/`)

      await page.getByLabel('Email or username').fill(username)
      await page.getByLabel('Password').fill(password)
      const [response] = await Promise.all([
        page.waitForResponse(/\/login/),
        page.getByRole('button', { name: 'Sign in', exact: true }).click(),
      ])

      expect(response.status()).toBe(403)
      expect(await page.getByRole('alert').innerText()).toBe(
        'You are not signed in\n\nNo account matches this name and password. Check both and try again.',
      )
      expect(await page.getByLabel('Email or username').inputValue()).toBe(username)
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      await signInAs(page, 'ada')
      await allow(page)
      await tokens(page).waitFor()
    },
  )

  test('refuses even the right password after too many wrong guesses (RFC 6749 §10.10)', async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/web/`)

    const guess = (password: string) =>
      page.request
        .post(page.url(), { form: { username: 'ada', password }, headers: { origin: instance.url } })
        .then((answer) => answer.status())
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => guess(`guess ${index}`)))
    const [response] = await Promise.all([page.waitForResponse(/\/login/), signInAs(page, 'ada')])

    expect(answers).toEqual(answers.map(() => 403))
    expect(response.status()).toBe(429)
    expect(Number(await response.headerValue('retry-after'))).toBeGreaterThan(0)
    expect(await page.getByRole('alert').innerText()).toContain('There were too many attempts.')
  })
})

describe('a deactivated user', () => {
  test("cannot sign in, and sees the reason on the server's own page (RFC 6749 §4.1.2.1)", async () => {
    const { page } = await instance.openBrowser()
    await startSignIn(page, `${instance.url}/web/`)
    const tables = openTables(join(instance.dataFolder, 'users.db'))
    const subject = (await (await openUsers({ tables })).findByName('ada'))?.subject ?? ''
    tables.close()
    await useStorage(instance, ({ users }) => users.deactivate(userId(subject), epochSeconds(Date.now() / 1000)))

    await signInAs(page, 'ada')
    await page.getByText('Your account is deactivated.').waitFor()

    expect(page.url()).not.toContain('/web/')
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('mintmark-session')
  })

  test('is signed out everywhere at once, and reactivation does not restore the session', async () => {
    const { page, context } = await instance.openBrowser()
    await signInWithoutRendering(context, `${instance.url}/web/`)
    await page.goto(`${instance.url}/web/`)
    const { sub } = await shownClaims(page, 'id-token')
    const now = epochSeconds(Date.now() / 1000)

    await useStorage(instance, async ({ users }) => {
      await users.deactivate(userId(String(sub)), now)
      await users.reactivate(userId(String(sub)), now)
    })

    await startSignIn(page, `${instance.url}/spa/`)
    await page.waitForURL('**/login?*')
  })
})

describe('signing out', () => {
  test('ends the session: the next sign-in asks for the password again', async () => {
    const { page, context } = await instance.openBrowser()
    await signInWithoutRendering(context, `${instance.url}/web/`)
    await page.goto(instance.url)
    expect(await page.locator('main').innerText()).toContain('Signed in here as Ada Lovelace')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed in here as').waitFor({ state: 'detached' })

    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('mintmark-session')
    await startSignIn(page, `${instance.url}/spa/`)
    await page.waitForURL('**/login?*')
  })

  test('cannot be triggered by another site', async () => {
    const response = await fetch(`${instance.url}/sign-out`, {
      method: 'POST',
      headers: { origin: 'https://evil.test' },
    })

    expect(response.status).toBe(403)
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('the web client', () => {
  test('refreshes, and revokes its refresh token when the user leaves it (RFC 6749 §6)', async () => {
    const { page, context } = await instance.openBrowser()
    await signInWithoutRendering(context, `${instance.url}/web/`, { scope: 'offline_access' })
    await page.goto(`${instance.url}/web/`)
    const before = await shownClaims(page, 'access-token')

    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(async () => (await shownClaims(page, 'access-token'))['jti']).not.toBe(before['jti'])
    await page.getByRole('button', { name: 'Leave this app' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()

    expect(instance.log).toContainEqual(expect.stringMatching(/^token\.revoked: family by /))
    expect(before['scope']).toBe('openid profile offline_access')
  })
})
