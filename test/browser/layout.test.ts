import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openStage, type Stage } from './stage.ts'
import { signInFully } from './walk.ts'

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

test.each(['light', 'dark'] as const)('WCAG 2.2 §1.4.10: every page of the example fits 360 px (%s)', async (colorScheme) => {
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
})

test.each(['spa', 'web'])('WCAG 2.2 §1.4.10: tokens fit 360 px (%s client)', async (client) => {
  const own = await openStage(browser)
  const { page } = await own.openBrowser({ viewport: { width: 360, height: 640 } })

  await signInFully(page, `${own.url}/${client}/`)

  expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBe(360)
  await own.close()
})
