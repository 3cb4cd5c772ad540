import type { Locator, Page } from 'playwright-core'

import { demoUsers } from '../../examples/express-sqlite/src/demo-users.ts'

export type Username = 'ada' | 'grace' | 'alan'

/** Starts a sign-in on the page of one of the clients with some of its checkboxes checked. */
export async function startSignIn(page: Page, clientUrl: string, checks: readonly string[] = []): Promise<void> {
  await page.goto(clientUrl)
  for (const label of checks) await page.getByLabel(label).check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Fills in and submits the sign-in page. */
export const signInAs = (page: Page, username: Username, password = passwordOf(username)): Promise<void> =>
  fillInSignIn(page, username, password)

/** Fills in and submits the sign-in page for any user, including users whom the example does not create. */
export async function fillInSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Email or username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Presses Allow on the consent page. */
export const allow = (page: Page): Promise<void> => page.getByRole('button', { name: 'Allow' }).click()

/** Presses Deny on the consent page. */
export const deny = (page: Page): Promise<void> => page.getByRole('button', { name: 'Deny' }).click()

/** Completes a sign-in: starts at the client, signs in, allows, and waits for the client to show the tokens. */
export async function signInFully(page: Page, clientUrl: string, checks: readonly string[] = []): Promise<void> {
  await startSignIn(page, clientUrl, checks)
  await signInAs(page, 'ada')
  await allow(page)
  await tokens(page).waitFor()
}

/** Returns the heading that a client shows above the tokens. */
export const tokens = (page: Page): Locator => page.getByRole('heading', { name: /^Signed in as / })

/** Returns the claims that a client's page shows. */
export async function shownClaims(
  page: Page,
  what: 'userinfo' | 'id-token' | 'access-token',
): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator(`#${what}`).textContent()) ?? '') as Record<string, unknown>
}

/** Presses Tab until the element has the focus. */
export async function tabTo(element: Locator): Promise<void> {
  const page = element.page()
  for (let presses = 0; presses < 20; presses += 1) {
    if (await element.evaluate((node) => node === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('The Tab key does not reach the element.')
}

export function passwordOf(username: Username): string {
  const user = demoUsers.find((candidate) => candidate.username === username)
  if (user === undefined) throw new Error(`${username} is not among the users of the example.`)
  return user.password
}
