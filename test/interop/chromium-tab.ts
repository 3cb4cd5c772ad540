import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

import { signedInAs } from '../support/flow.ts'
import type { ReachableServer } from '../support/server-under-test.ts'

/** A Chromium tab for this test; its user is signed in at the server's host. */
export async function openTab(browser: Browser, site: ReachableServer): Promise<Page> {
  // The tests use self-signed certificates.
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  onTestFinished(() => context.close())
  const [name = '', value = ''] = signedInAs(site, 'U1').split('=')
  await context.addCookies([{ name, value, url: site.issuer }])
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  return page
}

/** Checks all scopes on the host's page, which shows them as JSON, and submits it. */
export async function consentInTab(page: Page): Promise<void> {
  await page.waitForURL('**/consent?*')
  await page.evaluate(() => {
    const { scopes } = JSON.parse(document.body.innerText) as { readonly scopes: readonly { readonly name: string }[] }
    const fields = scopes.map((scope) =>
      Object.assign(document.createElement('input'), { name: 'scope', value: scope.name }),
    )
    const form = Object.assign(document.createElement('form'), { method: 'post' })
    form.append(...fields)
    document.body.append(form)
    form.submit()
  })
}
