import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { startHttpsExample } from './https-example.ts'
import { openExample, openVisitor } from './example-instance.ts'
import { shown, signInFully } from './sign-in-steps.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

test('over https Chromium accepts cookies that only this host can have set (RFC 6265bis §4.1.3.2)', async () => {
  const example = await startHttpsExample()
  const { page, context, complaints } = await openVisitor(browser, { ignoreHTTPSErrors: true })

  await signInFully(page, `${example.url}/spa/`)

  expect((await context.cookies()).map(looksOf).toSorted(byName)).toEqual([
    { name: '__Host-known-browser', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: '__Host-mintmark-browser', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
    { name: '__Host-mintmark-session', secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' },
  ])
  expect((await shown(page, 'id-token'))['iss']).toBe(example.url)
  expect(complaints).toEqual([])
  await context.close()
  await example.close()
})

test('over http on loopback, where browsers reject that prefix, the names are plain', async () => {
  const instance = await openExample(browser)
  const { page, context } = await instance.openBrowser()

  await signInFully(page, `${instance.url}/spa/`)

  expect((await context.cookies()).map(looksOf).toSorted(byName)).toEqual([
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

const looksOf = ({ name, secure, httpOnly, sameSite, path, domain }: Cookie): Cookie => ({
  name,
  secure,
  httpOnly,
  sameSite,
  path,
  domain,
})
const byName = (a: Cookie, b: Cookie): number => a.name.localeCompare(b.name)
