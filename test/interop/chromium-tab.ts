import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

import { signedInAs } from '../support/flow.ts'
import type { ReachableServer } from '../support/server-under-test.ts'

/** Opens a Chromium tab for this test. Its user is signed in to the host. */
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

/** Consents to all scope values. The host's page shows them as JSON, so this function adds a form and submits it. */
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
