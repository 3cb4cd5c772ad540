import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { passkeysPage, readPasskeyForm, signInPage } from '@mintmark/pages'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { servePages } from '../../packages/pages/test/browser/serve-pages.ts'
import { openExample } from './example-instance.ts'
import { signInAs } from './sign-in-steps.ts'

const rpID = 'localhost'
const received: ServerResponse = { status: 200, headers: [['Content-Type', 'text/plain']], body: 'received' }
let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

test('a passkey that a browser has added signs the user in, in the same browser (WebAuthn Level 3)', async () => {
  const creationOptions = await generateRegistrationOptions({
    rpName: 'Example',
    rpID,
    userName: 'ada',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const passkey = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  const posts: ServerRequest[] = []
  const site = await servePages(
    { '/passkeys': passkeysPage({ creationOptions, passkeys: [] }), '/sign-in': signInPage({ passkey }) },
    (request) => {
      posts.push(request)
      return received
    },
  )
  const origin = site.origin.replace('127.0.0.1', rpID)
  const page = await browser.newPage()
  const approve = await addAuthenticator(page)

  await page.goto(`${origin}/passkeys`)
  await approve(true)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('received').waitFor()
  const added = await verifyRegistrationResponse({
    response: required(posts[0] && readPasskeyForm<RegistrationResponseJSON>(posts[0])),
    expectedChallenge: creationOptions.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
  })
  await approve(false)
  await page.goto(`${origin}/sign-in`)
  await approve(true)
  // The browser may use the passkey by itself, before the button is pressed.
  const isReceived = page.getByText('received').waitFor()
  await Promise.race([page.getByRole('button', { name: 'Sign in with a passkey' }).click(), isReceived])
  await isReceived
  const used = await verifyAuthenticationResponse({
    response: required(posts[1] && readPasskeyForm<AuthenticationResponseJSON>(posts[1])),
    expectedChallenge: passkey.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: required(added.registrationInfo).credential,
  })

  expect([added.verified, used.verified, used.authenticationInfo.userVerified]).toEqual([true, true, true])
  await site.close()
})

test('a browser that has no passkey to offer says so, and the password still works', async () => {
  const passkey = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  const posts: ServerRequest[] = []
  const site = await servePages({ '/sign-in': signInPage({ passkey }) }, (request) => {
    posts.push(request)
    return received
  })
  const page = await browser.newPage()
  const approve = await addAuthenticator(page)
  await page.goto(`${site.origin.replace('127.0.0.1', rpID)}/sign-in`)
  await approve(true)

  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('No passkey was used.').waitFor()
  await page.getByLabel('Email or username').fill('ada')
  await page.getByLabel('Password').fill('example')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('received').waitFor()

  expect(posts.map((request) => Buffer.from(request.body).toString())).toEqual([
    'username=ada&password=example&passkey=',
  ])
  await site.close()
})

test('a user of the starter adds a passkey and signs in with it; its response is of no use elsewhere', async () => {
  const instance = await openExample(browser)
  const { page } = await instance.openBrowser()
  const approve = await addAuthenticator(page)
  await page.goto(`${instance.url}/passkeys`)
  await signInAs(page, 'grace')
  await approve(true)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Remove' }).waitFor()
  await page.goto(instance.url)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Signed in here as').waitFor({ state: 'detached' })

  const posted = page.waitForRequest((request) => request.method() === 'POST')
  await page.goto(`${instance.url}/sign-in`)
  const isSignedIn = page.getByText('Signed in here as Grace Hopper').waitFor()
  await Promise.race([page.getByRole('button', { name: 'Sign in with a passkey' }).click(), isSignedIn])
  await isSignedIn

  const form = new URLSearchParams((await posted).postData() ?? '')
  // The sign-in has removed the cookie that the response belonged to.
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('passkey-page')
  const thief = await instance.openBrowser()
  await thief.page.goto(`${instance.url}/sign-in`)
  const replayed = await thief.page.request.post(`${instance.url}/sign-in`, {
    form: { passkey: form.get('passkey') ?? '', username: '', password: '' },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    maxRedirects: 0,
  })
  expect(form.get('passkey')).toContain('authenticatorData')
  expect([replayed.status(), await replayed.text()]).toEqual([403, expect.stringContaining('role="alert"')])

  await page.goto(`${instance.url}/passkeys`)
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Remove').waitFor({ state: 'detached' })
  const gone = await page.request.post(`${instance.url}/sign-in`, {
    form: { passkey: form.get('passkey') ?? '' },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    maxRedirects: 0,
  })
  expect(gone.status()).toBe(403)
  await instance.close()
})

/** Gives the page an authenticator like that of a phone. @returns what makes it approve requests, or wait. */
async function addAuthenticator(page: Page): Promise<(isApproving: boolean) => Promise<void>> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  return async (enabled) => {
    await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('No passkey was posted, or it was not verified.')
  return value
}
