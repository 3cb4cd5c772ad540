import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance, type Visitor } from './example-instance.ts'
import { signInWithoutRendering } from './sign-in-without-rendering.ts'
import { signInFully, tokens } from './sign-in-steps.ts'

let browser: Browser
let instance: ExampleInstance

beforeAll(async () => {
  browser = await launchChromium()
  instance = await openExample(browser)
})

afterAll(async () => {
  await instance.close()
  await browser.close()
})

test.each(['light', 'dark'] as const)(
  'every page of the example fits into a width of 360 px (%s) (WCAG 2.2 §1.4.10)',
  async (colorScheme) => {
    const { page, consoleErrors } = await instance.openBrowser({ colorScheme, viewport: { width: 360, height: 640 } })
    const requested = new Set<string>()
    page.on('request', (request) => requested.add(new URL(request.url()).origin))
    const widths: number[] = []
    const measure = async () => widths.push(await page.locator('html').evaluate((root) => root.scrollWidth))

    for (const path of ['/', '/spa/', '/web/', '/provisioned']) {
      await page.goto(instance.url + path)
      await measure()
    }
    const background = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)

    expect(widths).toEqual([360, 360, 360, 360])
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(22, 31, 27)' : 'rgb(255, 255, 255)')
    expect([...requested].filter((origin) => origin !== 'null')).toEqual([instance.url])
    expect(consoleErrors).toEqual([])
  },
)

test.each([
  { client: 'spa', arrive: ({ page }: Visitor, url: string) => signInFully(page, url) },
  {
    client: 'web',
    async arrive({ page, context }: Visitor, url: string) {
      await signInWithoutRendering(context, url)
      await page.goto(url)
      await tokens(page).waitFor()
    },
  },
])(
  'the page that shows the tokens fits a width of 360 px ($client client) (WCAG 2.2 §1.4.10)',
  async ({ client, arrive }) => {
    const visitor = await instance.openBrowser({ viewport: { width: 360, height: 640 } })

    await arrive(visitor, `${instance.url}/${client}/`)

    expect(await visitor.page.locator('html').evaluate((root) => root.scrollWidth)).toBe(360)
  },
)
