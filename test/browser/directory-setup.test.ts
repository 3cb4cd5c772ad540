import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { axeFindings } from './axe.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { signInAs, tabTo } from './sign-in-steps.ts'

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

/** Creates a set-up link in the console, as the support of the product does. */
async function createLink(): Promise<string> {
  const { page, context } = await instance.openBrowser()
  await page.goto(`${instance.url}/console/directories/example-corp`)
  await signInAs(page, 'ada')
  await page.getByRole('link', { name: 'Create a set-up link' }).click()
  await page.getByRole('button', { name: 'Create a set-up link' }).click()
  const link = await page.locator('#new-secret').innerText()
  await context.close()
  return link
}

test('the IT of a customer sets up the directory with the keyboard and without scripts, until the link is revoked', async () => {
  const link = await createLink()
  const { page, consoleErrors } = await instance.openBrowser({ javaScriptEnabled: false })

  await page.goto(link)
  await tabTo(page.getByRole('button', { name: 'Continue' }))
  await page.keyboard.press('Enter')
  await page.waitForURL(`${instance.url}/directory-setup`)
  await tabTo(page.getByRole('button', { name: 'Create a Secret Token' }))
  await page.keyboard.press('Enter')
  const secret = await page.locator('#new-secret').innerText()
  const tenantUrl = await page.locator('#tenant-url').innerText()
  const reply = await fetch(`${tenantUrl}/Users?count=1`, { headers: { authorization: `Bearer ${secret}` } })
  await page.getByRole('link', { name: 'Back to the set-up' }).click()
  await page.getByLabel('Secret Token to check').fill(secret)
  await page.getByRole('button', { name: 'Test the connection' }).click()

  expect([reply.status, tenantUrl]).toEqual([200, instance.provider.tenantUrl])
  expect(await page.locator('#state').innerText()).toMatch(/and it works\.\s+It works: the last request was accepted/)
  expect(await page.content()).not.toContain(secret)
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByText('The link no longer works.').waitFor()
  await page.goto(`${instance.url}/directory-setup`)
  expect(await page.getByRole('alert').innerText()).toContain('This link does not work')
  expect(instance.log.join('\n')).not.toContain(link.slice(-43))
  expect(consoleErrors).toEqual([])
})

test.each(['en', 'ar'])('axe finds no violation on any page of the set-up (%s)', async (locale) => {
  const link = await createLink()
  const { page } = await instance.openBrowser({ locale })
  const findings: string[] = []
  const inspect = async () => findings.push(...(await axeFindings(page)))

  await page.goto(link)
  await inspect()
  await page.locator('main button').click()
  await page.waitForURL(`${instance.url}/directory-setup`)
  await page.locator('summary').first().click()
  await inspect()
  expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBe(360)
  await page.locator('form[action$="/secret"] button').click()
  await page.locator('#new-secret').waitFor()
  await inspect()
  await page.goto(`${instance.url}/directory-setup`)
  await page.locator('form[action$="/finish"] button').click()
  await inspect()
  await page.goto(link)
  await page.locator('main button').click()
  await page.getByRole('alert').waitFor()
  await inspect()

  expect(findings).toEqual([])
})
