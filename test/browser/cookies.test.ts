import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { startHttpsExample } from './https-example.ts'
import { openExample, openVisitor } from './example-instance.ts'
import { shownClaims, signInFully } from './sign-in-steps.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

test('over https Chromium accepts cookies that only this host can have set (RFC 6265bis §4.1.3.2)', async () => {
  const example = await startHttpsExample()
  const { page, context, consoleErrors } = await openVisitor(browser, { ignoreHTTPSErrors: true })

  await signInFully(page, `${example.url}/spa/`)

  expect((await context.cookies()).map(attributesOf).toSorted(byName)).toEqual([
    { name: '__Host-known-browser', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: '__Host-mintmark-browser', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: '__Host-mintmark-session', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
  ])
  expect((await shownClaims(page, 'id-token'))['iss']).toBe(example.url)
  expect(consoleErrors).toEqual([])
  await context.close()
  await example.close()
})

test('over http on loopback, the cookie names have no __Host- prefix, which browsers would reject', async () => {
  const instance = await openExample(browser)
  const { page, context } = await instance.openBrowser()

  await signInFully(page, `${instance.url}/spa/`)

  expect((await context.cookies()).map(attributesOf).toSorted(byName)).toEqual([
    { name: 'known-browser', secure: false, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: 'mintmark-browser', secure: false, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: 'mintmark-session', secure: false, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
  ])
  await instance.close()
})

interface Cookie {
  readonly name: string
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly sameSite: string
  readonly path: string
  readonly domain: string
}

const attributesOf = ({ name, secure, httpOnly, sameSite, path, domain }: Cookie): Cookie => ({
  name,
  secure,
  httpOnly,
  sameSite,
  path,
  domain,
})
const byName = (a: Cookie, b: Cookie): number => a.name.localeCompare(b.name)
