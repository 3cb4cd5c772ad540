// Takes the screenshots of the console and of the directory set-up, for the pages in docs/how-to: of the example.
import { writeFileSync } from 'node:fs'

import { launchChromium } from '../packages/pages/test/browser/launch-chromium.ts'
import { openExample } from '../test/browser/example-instance.ts'
import { signInAs } from '../test/browser/sign-in-steps.ts'

const size = { width: 1000, height: 640 }
const browser = await launchChromium()
const instance = await openExample(browser)
const { page, context } = await instance.openBrowser({ viewport: size })
await page.goto(`${instance.url}/console/users?q=ada`)
await signInAs(page, 'ada')
await page.getByRole('link', { name: 'Ada Lovelace' }).click()
await page.getByRole('heading', { name: 'Sessions' }).waitFor()

await screenshot('console')

await page.goto(`${instance.url}/console/directories/example-corp/create-setup-link`)
await page.getByRole('button', { name: 'Create a set-up link' }).click()
await page.goto(await page.locator('#new-secret').innerText())
await page.getByRole('button', { name: 'Continue' }).click()
await page.getByRole('button', { name: 'Test the connection' }).waitFor()
await screenshot('directory-setup')
await instance.close()
await browser.close()

/** Playwright's own screenshots are only PNG or JPEG. */
async function screenshot(name: string): Promise<void> {
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  const image = Buffer.from(data, 'base64')
  writeFileSync(`docs/images/${name}.webp`, image)
  console.log(`${name}.webp: ${image.byteLength} bytes`)
}
