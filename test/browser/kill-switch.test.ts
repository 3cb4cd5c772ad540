import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { allow, signInAs } from './sign-in-steps.ts'

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

test('the shelf of the example turns red when the administrator deactivates its user in another window', async () => {
  const [grace, ada] = [await instance.openBrowser(), await instance.openBrowser()]
  await grace.page.goto(`${instance.url}/web/shelf`)
  await signInAs(grace.page, 'grace')
  await allow(grace.page)
  await grace.page.getByText('The API serves Grace Hopper').waitFor()

  await ada.page.goto(`${instance.url}/console/users?q=grace`)
  await signInAs(ada.page, 'ada')
  await ada.page.getByRole('link', { name: 'Grace Hopper' }).click()
  await ada.page.getByRole('link', { name: 'Deactivate' }).click()
  await ada.page.getByRole('button', { name: 'Deactivate' }).click()
  await grace.page.getByText('Access refused').waitFor()

  expect(await grace.page.locator('#detail').innerText()).toContain('invalid_grant')
  expect([...grace.consoleErrors, ...ada.consoleErrors]).toEqual([])
})

test('in one browser, the shelf keeps working when the administrator signs in too, until its user is deactivated', async () => {
  const { page, context } = await instance.openBrowser()
  await page.goto(`${instance.url}/web/shelf`)
  await signInAs(page, 'alan')
  await allow(page)
  await page.getByText('The API serves Alan Turing').waitFor()

  const console = await context.newPage()
  await console.goto(`${instance.url}/console/users?q=alan`)
  await console.getByRole('link', { name: 'Sign in', exact: true }).click()
  await signInAs(console, 'ada')
  await console.getByRole('link', { name: 'Alan Turing' }).click()
  await page.getByText('The API serves Alan Turing').waitFor()
  await console.getByRole('link', { name: 'Deactivate' }).click()
  await console.getByRole('button', { name: 'Deactivate' }).click()

  await page.getByText('Access refused').waitFor()
})
