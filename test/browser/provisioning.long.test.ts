import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { demoProviderId } from '../../examples/express-sqlite/src/identity-provider.ts'
import { openExample, type ExampleInstance } from './example-instance.ts'
import { allow, fillInSignIn, startSignIn, tokens } from './sign-in-steps.ts'

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

const kim = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: '1',
  userName: 'kim',
  password: 'garden',
  name: { givenName: 'Kim', familyName: 'Lee' },
  emails: [{ value: 'kim@example.org', primary: true }],
}
const deactivation = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
}

/** A request from the directory. */
const send = (method: string, path: string, body: object): Promise<Response> =>
  fetch(instance.provider.tenantUrl + path, {
    method,
    headers: { authorization: `Bearer ${instance.provider.secret}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  })

test('the directory provisions a user, who signs in; after deactivation the app cannot refresh', async () => {
  const { page, consoleErrors } = await instance.openBrowser()
  const created = await send('POST', '/Users', kim)
  const { id } = (await created.json()) as { readonly id: string }

  await page.goto(`${instance.url}/provisioned`)
  expect(await page.getByRole('row', { name: 'kim' }).innerText()).toContain('active')
  await startSignIn(page, `${instance.url}/web/`, ['To stay connected: a refresh token'])
  await fillInSignIn(page, `${demoProviderId}/kim`, 'garden')
  await allow(page)
  await tokens(page).waitFor()

  expect((await send('PATCH', `/Users/${id}`, deactivation)).status).toBe(200)

  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').innerText()).toContain('invalid_grant')
  await page.goto(`${instance.url}/provisioned`)
  expect(await page.getByRole('row', { name: 'kim' }).innerText()).toContain('deactivated')
  expect(consoleErrors).toEqual([])
})
