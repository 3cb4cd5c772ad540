import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openStage, type Stage, type Visitor } from './example-instance.ts'
import { signInUnseen } from './sign-in-without-rendering.ts'
import { signInFully, tokens } from './sign-in-steps.ts'

let browser: Browser
let stage: Stage

beforeAll(async () => {
  browser = await launchChromium()
  stage = await openStage(browser)
})

afterAll(async () => {
  await stage.close()
  await browser.close()
})

test.each(['light', 'dark'] as const)(
  'every page of the example fits 360 px (%s) (WCAG 2.2 §1.4.10)',
  async (colorScheme) => {
    const { page, complaints } = await stage.openBrowser({ colorScheme, viewport: { width: 360, height: 640 } })
    const requested = new Set<string>()
    page.on('request', (request) => requested.add(new URL(request.url()).origin))
    const widths: number[] = []
    const measure = async () => widths.push(await page.locator('html').evaluate((root) => root.scrollWidth))

    for (const path of ['/', '/spa/', '/web/', '/provisioned']) {
      await page.goto(stage.url + path)
      await measure()
    }
    const background = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)

    expect(widths).toEqual([360, 360, 360, 360])
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(22, 31, 27)' : 'rgb(255, 255, 255)')
    expect([...requested].filter((origin) => origin !== 'null')).toEqual([stage.url])
    expect(complaints).toEqual([])
  },
)

test.each([
  { client: 'spa', arrive: ({ page }: Visitor, url: string) => signInFully(page, url) },
  {
    client: 'web',
    async arrive({ page, context }: Visitor, url: string) {
      await signInUnseen(context, url)
      await page.goto(url)
      await tokens(page).waitFor()
    },
  },
])('tokens fit 360 px ($client client) (WCAG 2.2 §1.4.10)', async ({ client, arrive }) => {
  const visitor = await stage.openBrowser({ viewport: { width: 360, height: 640 } })

  await arrive(visitor, `${stage.url}/${client}/`)

  expect(await visitor.page.locator('html').evaluate((root) => root.scrollWidth)).toBe(360)
})
