import { redirect, type ServerRequest } from '@mintmark/core/http'
import * as fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  consentPage,
  errorPage,
  logoutPage,
  readConsentForm,
  readSignInForm,
  selectAccountPage,
  signInPage,
} from '../../src/index.ts'
import { createPages } from '../../src/create-pages.ts'
import { html, toMarkup } from '../../src/html.ts'
import { arabic } from '../../src/languages/arabic.ts'
import { signedOutPage } from '../../src/logout.ts'
import { launchChromium } from './launch-chromium.ts'
import { servePages } from './serve-pages.ts'

// These tests show the pages in a real Chromium without scripts, on a screen that is 320 px wide.
let browser: Browser
let client: Awaited<ReturnType<typeof servePages>>
let server: Awaited<ReturnType<typeof servePages>>
let page: Page
let posted: ServerRequest[] = []
let problems: string[] = []
/** Where the response to a form redirects. */
let redirectUri = ''

beforeAll(async () => {
  browser = await launchChromium()
  client = await servePages({ '/cb': { status: 200, headers: [], body: 'back at the client' } }, () => redirect('/cb'))
  server = await servePages(pagesFor(`${client.origin}/cb`), (request) => {
    posted.push(request)
    return redirect(redirectUri)
  })
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
  page = await context.newPage()
  page.on('console', (message) => problems.push(message.text()))
})

afterAll(async () => {
  await Promise.all([browser.close(), client.close(), server.close()])
})

beforeEach(async () => {
  // The pages set no cookie and run no script: an empty tab is as good as a new browser.
  await page.goto('about:blank')
  posted = []
  problems = []
  redirectUri = `${client.origin}/cb`
})

describe('sign-in page', () => {
  test('a user signs in with the keyboard alone, in reading order (WCAG 2.2 §2.1.1)', async () => {
    await page.goto(`${server.origin}/sign-in?interaction=handle`)

    await page.keyboard.press('Tab')
    await page.keyboard.type('ada@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse')
    await page.keyboard.press('Tab')
    expect(await page.locator('button:focus').textContent()).toBe('Sign in')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${client.origin}/cb`)

    expect(posted.map((request) => request.url.search)).toEqual(['?interaction=handle'])
    expect(posted.map(readSignInForm)).toEqual([
      { username: 'ada@example.org', password: 'correct horse', remember: false },
    ])
    expect(problems).toEqual([])
  })

  test('posts with the Origin header of its own server, which the referrer policy no-referrer would hide', async () => {
    await page.goto(`${server.origin}/sign-in`)

    await page.fill('#username', 'ada')
    await page.fill('#password', 'x')
    await page.click('button')
    await page.waitForURL(`${client.origin}/cb`)

    expect(posted.map((request) => request.headers.get('origin'))).toEqual([server.origin])
    expect(posted.map((request) => request.headers.get('sec-fetch-site'))).toEqual(['same-origin'])
  })

  test('after an error the focus is on the message, and the next Tab stop is in the form (WCAG 2.2 §3.3.1)', async () => {
    await page.goto(`${server.origin}/sign-in-error`)

    expect(await page.locator('h2:focus').textContent()).toBe('You are not signed in')
    await page.keyboard.press('Tab')
    expect(await page.locator('input:focus').getAttribute('name')).toBe('username')
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe('error-text')
  })
})

describe('consent page', () => {
  test('shows the logo of a client, or the first letter of its name if the logo cannot be loaded (CSP 3 §6.1.4)', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const logos = await servePages(
      { '/logo': { status: 200, headers: [['Content-Type', 'image/png']], body: Buffer.from(png, 'base64') } },
      () => redirect('/'),
    )
    const consentWith = (path: string) =>
      consentPage({
        client: { clientName: 'Field Notes', logoUrl: `${logos.origin}${path}` },
        redirectUri: `${client.origin}/cb`,
        scopes: [{ name: 'openid', description: 'Sign you in' }],
        accountName: 'ada@example.org',
      })
    const pages = await servePages({ '/shown': consentWith('/logo'), '/missing': consentWith('/none') }, () =>
      redirect('/'),
    )

    await page.goto(`${pages.origin}/shown`, { waitUntil: 'load' })
    const logo = page.locator('.tile img')
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
    await page.goto(`${pages.origin}/missing`, { waitUntil: 'load' })
    expect(await logo.getAttribute('alt')).toBe('F')

    expect(problems.filter((problem) => /Content Security Policy/i.test(problem))).toEqual([])
    await Promise.all([logos.close(), pages.close()])
  })

  test('Tab reaches every scope, then Deny, then Allow, and Enter posts the decision (WCAG 2.2 §2.1.1)', async () => {
    await page.goto(`${server.origin}/consent`)

    const reached: (string | null)[] = []
    for (let presses = 0; presses < 4; presses += 1) {
      await page.keyboard.press('Tab')
      reached.push(await page.locator(':focus').getAttribute('value'))
      if (presses === 1) await page.keyboard.press('Space')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(`${client.origin}/cb`)

    expect(reached).toEqual(['profile', 'email', 'deny', 'allow'])
    expect(posted.map(readConsentForm)).toEqual([{ decision: 'allow', grantedScopes: ['openid', 'profile'] }])
    expect(problems).toEqual([])
  })

  test('Enter on a checkbox denies', async () => {
    await page.goto(`${server.origin}/consent`)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${client.origin}/cb`)

    expect(posted.map(readConsentForm)).toEqual([{ decision: 'deny', grantedScopes: [] }])
  })

  test('shows Deny and Allow in the same size, and fills only Allow', async () => {
    await page.goto(`${server.origin}/consent`)

    const looks = await page.locator('button').evaluateAll((buttons) =>
      buttons.map((button) => {
        const { width, height } = button.getBoundingClientRect()
        const { backgroundColor, borderColor, fontWeight } = getComputedStyle(button)
        return { same: [width, height, borderColor, fontWeight], isFilled: backgroundColor === borderColor }
      }),
    )

    expect(looks.map(({ isFilled }) => isFilled)).toEqual([false, true])
    expect(looks[0]?.same).toEqual(looks[1]?.same)
  })

  test.each(['Northern Libraries', 'Public Broadcasting'])(
    'keeps the name %s on one line of a title from right to left',
    async (clientName) => {
      const pages = createPages({ languages: [arabic] })
      const client = { clientName }
      const shown = { client, redirectUri: 'https://notes.test/cb', scopes: [], accountName: 'ada' }

      await page.setContent(String(pages.consentPage(shown).body))

      // A line is about 30 px high.
      const [title = 0, name = 0] = await page
        .locator('h1, h1 .name')
        .evaluateAll((found) => found.map((element) => element.getBoundingClientRect().height))
      expect(title).toBeGreaterThan(50)
      expect(name).toBeLessThan(50)
    },
  )
})

describe.each(['/sign-in', '/select-account', '/consent'])('the form of %s', (path) => {
  const submit = async () => {
    await page.goto(`${server.origin}${path}`)
    for (const field of await page.locator('.field input').all()) await field.fill('x')
    await page.locator('button.primary').click({ noWaitAfter: true })
  }

  test('leads through a callback and a broker on other origins (CSP 3 §6.4.1)', async () => {
    const broker = await servePages({ '/hop': redirect(`${client.origin}/cb`) }, () => redirect('/'))
    const callback = await servePages({ '/cb': redirect(`${broker.origin}/hop`) }, () => redirect('/'))
    redirectUri = `${callback.origin}/cb`

    await submit()
    await page.waitForURL(`${client.origin}/cb`)

    expect(problems).toEqual([])
    await Promise.all([broker.close(), callback.close()])
  })

  test('leads through a callback to the private-use scheme of an app (CSP 3 §6.4.1, RFC 8252 §7.1)', async () => {
    const callback = await servePages({ '/cb': redirect('claude://oauth/done') }, () => redirect('/'))
    redirectUri = `${callback.origin}/cb`

    // No app is installed here, so Chromium reports the attempt to start one.
    const [failed] = await Promise.all([page.waitForEvent('requestfailed'), submit()])

    expect(failed.url()).toBe('claude://oauth/done')
    expect(problems.join()).not.toContain('form-action')
    await callback.close()
  })
})

describe('every page', () => {
  const names = [
    '/sign-in',
    '/sign-in-error',
    '/select-account',
    '/consent',
    '/consent-of-another',
    '/error',
    '/sign-out',
    '/signed-out',
  ]

  test.each(names)('fits 320 px, with targets of 44 px: %s (WCAG 2.2 §1.4.10, §2.5.8)', async (name) => {
    await page.goto(`${server.origin}${name}`)

    expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBe(320)
    for (const target of await page.locator('button, label.row, .field input').all()) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    }
  })

  test.each(names)('applies its style under its own policy: %s', async (name) => {
    await page.goto(`${server.origin}${name}`)

    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).maxWidth)).toBe('432px')
    expect(problems.filter((problem) => problem.includes('Content Security Policy'))).toEqual([])
  })
})

describe('html', () => {
  test('law: Chromium reads back exactly the inserted text', async () => {
    const samples = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 200, seed: 1 })
    const hostile = ['"><script>', '</p><p>', "' x='", '&amp;', '&#0;', '\r\n', '\0', '<!--', ...samples]
    const expected = hostile.map((text) => text.replace(/\0|\p{Surrogate}/gu, '\uFFFD'))

    await page.setContent(toMarkup(html`<main>${hostile.map((text) => html`<p title="${text}">${text}</p>`)}</main>`))
    const read = await page
      .locator('main > *')
      .evaluateAll((all) => all.map((p) => [p.getAttribute('title'), p.textContent]))

    expect(read).toEqual(expected.map((text) => [text, text]))
  })
})

function pagesFor(redirectUri: string) {
  const hostile = `<script>alert(1)</script>${'Averyverylongname'.repeat(9)}`
  const scopes = [
    { name: 'openid', description: 'Know who you are' },
    { name: 'profile', description: 'See your name' },
    { name: 'email', description: 'See your email address' },
  ]
  const accountName = 'ada@example.org'
  return {
    '/sign-in': signInPage({ client: { clientName: 'Field Notes' } }),
    '/sign-in-error': signInPage({ client: { clientName: hostile }, error: 'rejected' }),
    '/select-account': selectAccountPage({
      client: { clientName: hostile },
      accountName: 'a'.repeat(200),
      switchAccountUrl: 'https://as.test/login?account=other',
    }),
    '/consent': consentPage({ client: { clientName: 'Field Notes' }, redirectUri, scopes, accountName }),
    '/consent-of-another': consentPage({
      client: { clientName: hostile },
      redirectUri: 'https://another-client.test/cb',
      scopes,
      accountName: 'a'.repeat(200),
    }),
    '/error': errorPage({ status: 400, code: 'invalid_request', description: 'The client is unknown.' }),
    '/sign-out': logoutPage({
      kind: 'confirm',
      status: 400,
      action: 'https://as.test/session/end/confirm',
      fields: [['state', hostile]],
      problem: { code: 'invalid_request', description: 'The request identifies two different clients.' },
      client: { clientName: hostile },
      accountName: 'a'.repeat(200),
    }),
    '/signed-out': signedOutPage(),
  }
}
