import { readFile } from 'node:fs/promises'

import { registerClient } from '@mintmark/core'
import type { IndexedDbDPoPStore, UserManager, UserManagerSettings } from 'oidc-client-ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { openThirdPartySite, type ThirdPartySite } from '../browser/third-party-site.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { openTlsFront, type TlsFront } from '../support/tls-front.ts'
import { consentInTab, openTab } from './chromium-tab.ts'

let browser: Browser
let front: TlsFront
let site: ServerUnderTest
let app: ThirdPartySite
let appFront: TlsFront
beforeAll(async () => {
  const library = await readFile(
    new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
    'utf8',
  )
  const page = `<script>${library}</script>`
  browser = await launchChromium()
  // Uses https, as in production. For a public client on http the server asks for consent every time, because any
  // program on the device could serve its page (RFC 8252 §8.6).
  front = await openTlsFront()
  site = await startLoopbackServer({ issuer: front.origin, dpop: { nonces: 'required' } })
  front.forwardTo(site.port)
  const silent = `${page}<script>new oidc.UserManager({}).signinSilentCallback()</script>`
  app = await openThirdPartySite({ '/': page, '/callback': page, '/silent': silent, '/signed-out': page })
  appFront = await openTlsFront()
  appFront.forwardTo(Number(new URL(app.origin).port))
})
afterAll(async () => {
  await Promise.all([browser, appFront, app, front, site].map((resource) => resource.close()))
})

describe('oidc-client-ts in Chromium', () => {
  it('signs in with PKCE, calls userinfo, refreshes and revokes (OIDC Core §3.1, §5.3, RFC 6749 §6, RFC 7009 §2)', async () => {
    const { page, settings } = await openPage('openid profile email offline_access')

    await signIn(page, settings)
    const user = await finish(page, settings)
    const renewed = await renew(page, settings)
    const revoked = await page.evaluate(async (options) => {
      const manager = new (globalThis as unknown as LibraryInPage).oidc.UserManager(options)
      await manager.revokeTokens(['refresh_token'])
      return (await manager.getUser())?.refresh_token
    }, settings)

    expect(user).toMatchObject({ sub: 'U1', name: 'Ann Lee', email: 'ann@example.test' })
    expect(renewed).toMatchObject({ sub: 'U1' })
    expect(revoked).toBeNull()
    expect(site.events.filter(({ type }) => type === 'token.revoked')).toHaveLength(1)
  })

  it('gets tokens bound to a key in its IndexedDB, and sends a proof with the nonce after each challenge (RFC 9449 §5, §7, §8)', async () => {
    // The library calls userinfo without a proof.
    const { page, settings } = await openPage('openid profile offline_access', { loadUserInfo: false })

    await page.evaluate((options) => {
      const { oidc } = globalThis as unknown as LibraryInPage
      const dpop = { store: new oidc.IndexedDbDPoPStore(), bind_authorization_code: true }
      void new oidc.UserManager({ ...options, dpop }).signinRedirect()
    }, settings)
    await consentInTab(page)
    await page.waitForURL('**/callback?*')
    const bound = await page.evaluate(async (options) => {
      const { oidc } = globalThis as unknown as LibraryInPage
      const dpop = { store: new oidc.IndexedDbDPoPStore(), bind_authorization_code: true }
      const manager = new oidc.UserManager({ ...options, dpop })
      const user = await manager.signinRedirectCallback()
      const userinfo = `${options.authority}/userinfo`
      const ask = async (nonce?: string) =>
        fetch(userinfo, {
          headers: {
            authorization: `DPoP ${user.access_token}`,
            DPoP: (await manager.dpopProof(userinfo, user, 'GET', nonce)) ?? '',
          },
        })
      const challenged = await ask()
      const answered = await ask(challenged.headers.get('dpop-nonce') ?? '')
      const renewed = await manager.signinSilent()
      return {
        type: user.token_type,
        token: user.access_token,
        statuses: [challenged.status, answered.status],
        renewed: renewed?.token_type,
        hasRefreshToken: renewed?.refresh_token !== undefined,
      }
    }, settings)

    const { cnf } = JSON.parse(Buffer.from(bound.token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly cnf?: object
    }
    expect(bound).toMatchObject({ type: 'DPoP', statuses: [401, 200], renewed: 'DPoP', hasRefreshToken: true })
    expect(cnf).toEqual({ jkt: expect.any(String) as unknown })
  })

  it('renews without a refresh token, in a hidden frame with prompt=none (OIDC Core §3.1.2.1)', async () => {
    const { page, settings } = await openPage('openid profile')
    await signIn(page, settings)
    await finish(page, settings)

    const renewed = await renew(page, settings)

    expect(renewed).toMatchObject({ sub: 'U1' })
    const issued = site.events.filter(
      (event) => event.type === 'tokens.issued' && event.clientId === settings.client_id,
    )
    expect(issued).toMatchObject([{ grantType: 'authorization_code' }, { grantType: 'authorization_code' }])
  })

  it('signs out at the server and returns with its state (RP-Initiated Logout §3)', async () => {
    const { page, settings } = await openPage('openid profile')
    await signIn(page, settings)
    await finish(page, settings)

    await page.evaluate(
      (options) =>
        void new (globalThis as unknown as LibraryInPage).oidc.UserManager(options).signoutRedirect({ state: 'left' }),
      settings,
    )
    await page.waitForURL('**/signed-out?*')
    const answer = await page.evaluate(async (options) => {
      const manager = new (globalThis as unknown as LibraryInPage).oidc.UserManager(options)
      const { userState } = await manager.signoutRedirectCallback()
      return { userState, user: await manager.getUser() }
    }, settings)

    expect([...new URL(page.url()).searchParams.keys()]).toEqual(['state'])
    expect(answer).toEqual({ userState: 'left', user: null })
    expect(site.events.at(-1)).toMatchObject({ type: 'user.signed_out', clientId: settings.client_id })
    const cookies = await page.context().cookies(site.issuer)
    expect(cookies.filter(({ name }) => name === 'host')).toEqual([])
  })

  it('reports an error response as such (RFC 6749 §4.1.2.1)', async () => {
    const { page, settings } = await openPage('openid profile', { prompt: 'none' })

    await start(page, settings)
    await page.waitForURL('**/callback?*')
    const refused = finish(page, settings)

    await expect(refused).rejects.toThrow('consent')
  })
})

/** The unmodified browser bundle of the library. */
interface LibraryInPage {
  readonly oidc: { readonly UserManager: typeof UserManager; readonly IndexedDbDPoPStore: typeof IndexedDbDPoPStore }
}

/** Opens the page of a public client in the browser of a user who is signed in to the host. */
async function openPage(
  scope: string,
  changes: Partial<UserManagerSettings> = {},
): Promise<{ readonly page: Page; readonly settings: UserManagerSettings }> {
  const redirectUris = [`${appFront.origin}/callback`, `${appFront.origin}/silent`]
  const { client } = await registerClient(
    {
      clientName: 'Page',
      tokenEndpointAuthMethod: 'none',
      redirectUris,
      postLogoutRedirectUris: [`${appFront.origin}/signed-out`],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: scope.split(' '),
    },
    { storage: site.storage },
  )
  const page = await openTab(browser, site)
  await page.goto(appFront.origin)
  const settings = {
    authority: site.issuer,
    client_id: client.clientId,
    redirect_uri: `${appFront.origin}/callback`,
    silent_redirect_uri: `${appFront.origin}/silent`,
    post_logout_redirect_uri: `${appFront.origin}/signed-out`,
    scope,
    loadUserInfo: true,
    automaticSilentRenew: false,
    ...changes,
  }
  return { page, settings }
}

/** Starts a sign-in. Does not await the library's promise, because the browser leaves the page before it settles. */
const start = (page: Page, settings: UserManagerSettings): Promise<void> =>
  page.evaluate(
    (options) => void new (globalThis as unknown as LibraryInPage).oidc.UserManager(options).signinRedirect(),
    settings,
  )

/** Signs the user in at the server and returns to the callback with a code. */
async function signIn(page: Page, settings: UserManagerSettings): Promise<void> {
  await start(page, settings)
  await consentInTab(page)
  await page.waitForURL('**/callback?*')
}

/** Redeems the code and returns the user. */
const finish = (page: Page, settings: UserManagerSettings) =>
  page.evaluate(async (options) => {
    const user = await new (globalThis as unknown as LibraryInPage).oidc.UserManager(options).signinRedirectCallback()
    return user.profile
  }, settings)

const renew = (page: Page, settings: UserManagerSettings) =>
  page.evaluate(async (options) => {
    const user = await new (globalThis as unknown as LibraryInPage).oidc.UserManager(options).signinSilent()
    return user?.profile
  }, settings)
