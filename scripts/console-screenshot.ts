// Takes the screenshot of the console for docs/how-to/run-the-console.md: a user of the example.
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

// Playwright's own screenshots are only PNG or JPEG.
const session = await context.newCDPSession(page)
const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
const image = Buffer.from(data, 'base64')
writeFileSync('docs/images/console.webp', image)
console.log(`console.webp: ${image.byteLength} bytes`)
await instance.close()
await browser.close()
