import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import * as openid from 'openid-client'

import { openBrowser } from '#test-browser'
import { startSite } from '#test-site'

let site: Awaited<ReturnType<typeof startSite>>
before(async () => {
  site = await startSite()
})
after(() => site.stop())

test('a user of the directory Acme can sign in to My app until Acme deactivates her', async () => {
  const ann = await sendToScim('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: '00u1',
    userName: 'ann@acme.example',
    name: { givenName: 'Ann', familyName: 'Lee' },
    password,
    active: true,
  })
  const client = await discoverClient()
  const tokens = await signIn(client)
  assert.equal(tokens.claims()?.sub, ann.id)
  const refreshed = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '')

  const deactivated = await sendToScim('PATCH', `/Users/${ann.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  })

  assert.equal(deactivated.active, false)
  await assert.rejects(openid.refreshTokenGrant(client, refreshed.refresh_token ?? ''), { error: 'invalid_grant' })
  const { page } = await enterPassword(client)
  assert.match(page.html, /Your account is deactivated/)
})

test('/try signs a user in, and shows the tokens that the client gets', async () => {
  await sendToScim('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: '00u2',
    userName: 'bob@acme.example',
    name: { givenName: 'Bob', familyName: 'Ray' },
    password,
    active: true,
  })
  const browser = openBrowser(site.issuer)
  const signInPage = await browser.open(new URL(`${site.issuer}/try`))
  const consentPage = await browser.fillIn(signInPage, { username: 'acme/bob@acme.example', password })

  const result = await browser.fillIn(consentPage, { decision: 'allow' })
  const home = await browser.open(new URL(site.issuer))

  assert.match(result.html, /<h1>Signed in as Bob Ray<\/h1>/)
  const shown = await browser.open(new URL(`${site.issuer}/try?show=token`))
  const tokens = shown.html.includes('name="decision"') ? await browser.fillIn(shown, { decision: 'allow' }) : shown
  assert.match(tokens.html, /access_token/)
  assert.match(home.html, /You are signed in here/)
})

test('/health and /ready answer load balancers', async () => {
  const paths = ['/health', '/ready']
  const responses = await Promise.all(paths.map((path) => fetch(site.issuer + path)))

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
  )
})

test('/sign-in signs a user in to the site, and returns only to a page of the site', async () => {
  await sendToScim('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: '00u3',
    userName: 'eve@acme.example',
    password,
    active: true,
  })
  const browser = openBrowser(site.issuer)
  const signInPage = await browser.open(new URL(`${site.issuer}/sign-in?return_to=https://attacker.example/`))

  const { url, html } = await browser.fillIn(signInPage, { username: 'acme/eve@acme.example', password })

  assert.equal(url.href, `${site.issuer}/`)
  assert.match(html, /You are signed in here/)
})

async function sendToScim(method: string, path: string, body: object) {
  const { tenantUrl, secret } = site.directory
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/scim+json' }
  const response = await fetch(tenantUrl + path, { method, headers, body: JSON.stringify(body) })
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
  return (await response.json()) as { readonly id: string; readonly active: boolean }
}

/** Returns the client that users sign in to. */
function discoverClient(): Promise<openid.Configuration> {
  const proof = openid.ClientSecretBasic(site.clientSecret)
  const options = { execute: [openid.allowInsecureRequests] }
  return openid.discovery(new URL(site.issuer), site.clientId, undefined, proof, options)
}

/** Signs Ann in with a new browser, and consents. */
async function signIn(client: openid.Configuration) {
  const { browser, page, checks } = await enterPassword(client)
  const { url } = page.html === '' ? page : await browser.fillIn(page, { decision: 'allow' })
  return openid.authorizationCodeGrant(client, url, checks)
}

/** Sends Ann's name and password from a new browser. Her sign-in name is `directory/username`. */
async function enterPassword(client: openid.Configuration) {
  const browser = openBrowser(site.issuer)
  const checks = { pkceCodeVerifier: openid.randomPKCECodeVerifier(), expectedState: openid.randomState() }
  const start = openid.buildAuthorizationUrl(client, {
    redirect_uri: site.redirectUri,
    scope: 'openid email offline_access',
    state: checks.expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const credentials = { username: 'acme/ann@acme.example', password }
  return { browser, page: await browser.fillIn(await browser.open(start), credentials), checks }
}

const password = 'correct horse battery staple'
