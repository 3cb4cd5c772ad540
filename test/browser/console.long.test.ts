import { clientId } from '@mintmark/storage-interface'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openThirdPartySite } from './third-party-site.ts'
import { openExample, type ExampleInstance, type Visitor } from './example-instance.ts'
import { signInWithoutRendering } from './sign-in-without-rendering.ts'
import { useStorage } from './use-storage.ts'
import { allow, signInAs, startSignIn, tabTo, tokens } from './sign-in-steps.ts'

// One long file, because it takes more time to start the browser and the example and to sign two users in than to run
// the tests.
let browser: Browser
let instance: ExampleInstance
let ada: Visitor
let grace: Visitor

beforeAll(async () => {
  browser = await launchChromium()
  instance = await openExample(browser)
  ada = await instance.openBrowser()
  grace = await instance.openBrowser()
  const connect = ({ context }: Visitor, username: 'ada' | 'grace') =>
    signInWithoutRendering(context, `${instance.url}/web/`, { username, scope: 'offline_access' })
  await Promise.all([connect(ada, 'ada'), connect(grace, 'grace')])
})

afterAll(async () => {
  await instance.close()
  await browser.close()
})

test('the home page links to the administration, which asks a visitor to sign in and then opens', async () => {
  const visitor = await instance.openBrowser()
  await visitor.page.goto(instance.url)

  await tabTo(visitor.page.getByRole('link', { name: 'Administration', exact: true }))
  await visitor.page.keyboard.press('Enter')
  await signInAs(visitor.page, 'ada')
  await visitor.page.waitForURL(`${instance.url}/console`)

  expect(await visitor.page.getByRole('heading', { name: 'Overview' }).isVisible()).toBe(true)
})

test('refuses every page and every form to other users, and sends visitors to the sign-in page (RFC 9110 §15.5.4)', async () => {
  const stranger = await instance.openBrowser()
  const before = await auditEntries()

  const paths = ['', '/users', '/clients', '/clients/pocket-notes', '/directories/example-corp', '/audit', '/audit.csv']
  const read = async (page: Page) =>
    Promise.all(
      paths.map(async (path) =>
        (await page.request.get(`${instance.url}/console${path}`, { maxRedirects: 0 })).status(),
      ),
    )
  const refused = await grace.page.goto(`${instance.url}/console/clients`)
  const post = await grace.page.request.post(`${instance.url}/console/clients/pocket-notes/disable`, {
    form: {},
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  })

  expect(refused?.status()).toBe(403)
  expect(await grace.page.locator('main').innerText()).toContain('not_an_administrator')
  expect(await grace.page.locator('nav').count()).toBe(0)
  expect(await read(grace.page)).toEqual(paths.map(() => 403))
  expect(await read(stranger.page)).toEqual(paths.map(() => 303))
  expect(post.status()).toBe(403)
  expect(instance.log).toContain('POST /console/clients/pocket-notes/disable refused: 403 (not_an_administrator)')
  expect(await auditEntries()).toEqual(before)
  expect(await clientState('pocket-notes')).toBe('in use')
})

test('rejects a form that another site posts in the administrator’s browser (RFC 9700 §4.7)', async () => {
  const form = `<form method="post" action="${instance.url}/console/clients/pocket-notes/disable"><button>Win a prize</button></form>`
  const elsewhere = await openThirdPartySite({ '/': form })
  const before = await auditEntries()
  const answers: number[] = []
  const { page } = ada
  page.on('response', (response) => response.request().method() === 'POST' && answers.push(response.status()))

  // The same host on another port is the same site, so the session cookie is sent.
  for (const origin of [elsewhere.origin, elsewhere.origin.replace('127.0.0.1', 'localhost')]) {
    await page.goto(origin)
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('cross_site').waitFor()
  }
  page.removeAllListeners('response')
  await elsewhere.close()

  expect(answers).toEqual([403, 403])
  expect(instance.log.filter((line) => line.includes('cross_site'))).toHaveLength(2)
  expect(await auditEntries()).toEqual(before)
  expect(await clientState('pocket-notes')).toBe('in use')
})

test('ada disables a client, which then cannot refresh; after ada enables it, users can sign in to it again', async () => {
  const { page } = ada
  await page.goto(`${instance.url}/console`)
  await page.getByRole('link', { name: 'Clients' }).first().click()
  await page.getByRole('link', { name: 'Reading Room' }).click()
  await page.getByRole('link', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('Disabled').waitFor()

  await grace.page.goto(`${instance.url}/web/`)
  await grace.page.getByRole('button', { name: 'Refresh' }).click()
  await grace.page.getByRole('alert').waitFor()

  expect(await grace.page.getByRole('alert').innerText()).toContain('invalid_client')
  await page.getByRole('link', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Enabled').waitFor()
  await startSignIn(grace.page, `${instance.url}/web/`, [stayConnected])
  await tokens(grace.page).waitFor()
})

test('ada deactivates grace, whose app cannot refresh; after reactivation grace signs in again', async () => {
  const { page } = ada
  await page.goto(`${instance.url}/console/users`)
  await page.getByLabel('Name, username, email').fill('grace')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('heading', { name: '1 found' }).waitFor()
  await page.getByRole('link', { name: 'Grace Hopper' }).click()
  await page.getByRole('link', { name: 'Deactivate' }).click()
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText('Blocked by an administrator').waitFor()

  await grace.page.goto(`${instance.url}/web/`)
  await grace.page.getByRole('button', { name: 'Refresh' }).click()
  await grace.page.getByRole('alert').waitFor()

  expect(await grace.page.getByRole('alert').innerText()).toContain('invalid_grant')
  await page.getByRole('link', { name: 'Reactivate' }).click()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Active', { exact: true }).first().waitFor()
  await startSignIn(grace.page, `${instance.url}/web/`, [stayConnected])
  await signInAs(grace.page, 'grace')
  await allow(grace.page)
  await tokens(grace.page).waitFor()
})

test('ada revokes one of grace’s grants and ends grace’s sessions', async () => {
  const { page } = ada
  await page.goto(`${instance.url}/console/users?q=${encodeURIComponent('claims.given_name eq "Grace"')}`)
  await page.getByRole('link', { name: 'Grace Hopper' }).click()

  await page.getByRole('link', { name: 'Revoke Reading Room' }).first().click()
  await page.getByRole('heading', { name: 'Revoke the access of Reading Room?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The change was made.').waitFor()
  await page.getByRole('link', { name: 'Sign out everywhere' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('The change was made.').waitFor()

  await grace.page.goto(instance.url)
  expect(await grace.page.getByText('Signed in here as').count()).toBe(0)
})

test('the only administrator cannot be deactivated', async () => {
  const { page } = ada
  await page.goto(`${instance.url}/console/users?q=${encodeURIComponent('claims.given_name eq "Ada"')}`)
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()

  await page.getByRole('link', { name: 'Deactivate' }).click()
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('alert').waitFor()

  expect(await page.locator('main').innerText()).toContain('last_administrator')
  expect((await page.goto(`${instance.url}/console/users`))?.status()).toBe(200)
})

test('shows an alert for an invalid filter and leaves its text in the input field (RFC 7644 §3.4.2.2)', async () => {
  const { page } = ada

  const answer = await page.goto(`${instance.url}/console/users?q=${encodeURIComponent('name is "ada"')}`)

  expect(answer?.status()).toBe(400)
  expect(await page.getByRole('alert').count()).toBe(1)
  expect(await page.getByLabel('Name, username, email').inputValue()).toBe('name is "ada"')
})

test.each([
  { part: 'clients', name: 'Reading Room', button: 'Rotate the secret' },
  { part: 'directories', name: 'Example Corp', button: 'Rotate the Secret Token' },
])('a rotated secret is shown once and appears in no URL, cache or log ($part)', async ({ part, name, button }) => {
  const { page } = ada
  await page.goto(`${instance.url}/console/${part}`)
  await page.getByRole('link', { name }).click()
  await page.getByRole('link', { name: button }).click()
  await page.getByRole('button', { name: button }).waitFor()
  const address = page.url()
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')

  await page.getByRole('button', { name: button }).click()
  const answer = await answered
  const secret = await page.locator('#new-secret').innerText()

  expect(secret.length).toBeGreaterThan(40)
  expect([answer.status(), answer.headers()['cache-control'], page.url()]).toEqual([200, 'no-store', address])
  await page.getByRole('link', { name: 'Done' }).click()
  expect(await page.content()).not.toContain(secret)
  await page.goto(`${instance.url}/console/audit`)
  expect(await page.content()).not.toContain(secret)
  expect(instance.log.join('\n')).not.toContain(secret)
})

test('a Secret Token works at the SCIM Tenant URL until ada disables the provider; the pages list requests and changes', async () => {
  const { page } = ada
  const { tenantUrl, secret } = instance.provider
  const ask = async () =>
    (await fetch(`${tenantUrl}/Users?filter=x`, { headers: { authorization: `Bearer ${secret}` } })).status
  await page.goto(`${instance.url}/console/directories`)
  await page.getByRole('link', { name: 'Example Corp' }).click()
  expect(await page.locator('dl').first().innerText()).toContain(tenantUrl)

  expect(await ask()).toBe(400)
  await page.getByRole('link', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('Disabled').waitFor()
  expect(await ask()).toBe(401)

  expect(await page.getByRole('row').filter({ hasText: 'GET /scim' }).first().innerText()).toContain('400')
  await page.goto(`${instance.url}/console/audit`)
  expect(await page.getByRole('row').filter({ hasText: 'provider.disabled' }).first().innerText()).toContain('Done')
})

test('every page of the console fits into a width of 360 px, in light and dark mode (WCAG 2.2 §1.4.10)', async () => {
  const { page } = ada
  await page.setViewportSize({ width: 360, height: 640 })
  const widths = new Map<string, number>()
  const measure = async () => widths.set(page.url(), await page.locator('html').evaluate((root) => root.scrollWidth))

  for (const part of [
    '',
    '/users',
    '/clients',
    '/directories',
    '/organizations',
    '/deliveries',
    '/audit',
    '/new-client',
  ]) {
    await page.goto(`${instance.url}/console${part}`)
    await measure()
    const subject = page.locator('td a, .kinds a').last()
    if ((await subject.count()) === 0) continue
    await subject.click()
    await measure()
  }
  const backgrounds: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    backgrounds.push(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor))
  }

  expect([...widths].filter(([, width]) => width !== 360)).toEqual([])
  expect(backgrounds).toEqual(['rgb(238, 242, 240)', 'rgb(13, 19, 17)'])
})

test('ada creates a client, and a second tab that shows an older version cannot change it (RFC 9110 §13.1.1)', async () => {
  const { page, context } = ada
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${instance.url}/console/clients`)
  await page.getByRole('link', { name: 'Create a client' }).click()
  await page.getByRole('link', { name: /^Web application/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('<b>Cat & Co</b>')
  await page.getByLabel('Redirect URIs 1').fill('http://example.org/cb')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Redirect URIs 1').fill('https://example.org/cb')
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = await page.locator('#new-secret').innerText()
  await page.getByRole('link', { name: 'Done' }).click()
  const stale = await context.newPage()
  await stale.goto(page.url())

  await page.getByLabel('Name', { exact: true }).fill('Renamed')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The change was made.').waitFor()
  await stale.getByLabel('Name', { exact: true }).fill('Mine')
  const refused = stale.waitForResponse((response) => response.request().method() === 'POST')
  await stale.getByRole('button', { name: 'Save' }).click()

  expect((await refused).status()).toBe(412)
  await stale.getByText('Somebody has changed this in the meantime').waitFor()
  expect(secret.length).toBeGreaterThan(40)
  await page.reload()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Renamed')
  await stale.close()
})

test('Chromium reports no console errors', () => {
  expect([...ada.consoleErrors, ...grace.consoleErrors]).toEqual([])
})

/** Returns the identifiers of all entries of the audit log. */
const auditEntries = (): Promise<readonly string[]> =>
  useStorage(instance, async ({ logs }) =>
    (await logs.list({ log: 'admin', before: undefined, limit: 200 })).map(({ entryId }) => entryId),
  )

async function clientState(id: string): Promise<string> {
  const client = await useStorage(instance, ({ clients }) => clients.find(clientId(id)))
  return client?.disabledAt === undefined ? 'in use' : 'disabled'
}

const stayConnected = 'To stay connected: a refresh token'
