import * as client from 'openid-client'
import { expect, it } from 'vitest'

import { navigate } from '../support/navigate.ts'

/** A running example, and the secret of its client `my-app`. */
interface Example {
  readonly issuer: string
  readonly secret: string
  /** @defaultValue `http://localhost:4000`. */
  readonly app?: string
}

/** The requirements of every variant of the minimal example. */
export function describeExample(reach: () => Example): void {
  it('a user signs in and consents, and openid-client gets the tokens (RFC 6749 §4.1)', async () => {
    const { config, tokens } = await signInToExample(reach())

    expect(tokens.claims()).toMatchObject({ sub: 'user-1', name: 'Ann Lee', amr: ['pwd'] })
    const email = { email: 'ann@example.com', email_verified: true }
    expect(await client.fetchUserInfo(config, tokens.access_token, 'user-1')).toEqual({
      sub: 'user-1',
      name: 'Ann Lee',
      given_name: 'Ann',
      family_name: 'Lee',
      ...email,
    })
    expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined()
  })

  it('an unknown interaction gets a helpful page', async () => {
    const reply = await fetch(`${reach().issuer}/login?interaction=unknown`, {
      method: 'POST',
      headers: { origin: reach().issuer },
    })

    expect(reply.status).toBe(400)
    expect(await reply.text()).toContain('Go back to the app')
  })

  it('rejects a body that is too large, and the connection stays usable', async () => {
    const reply = await fetch(`${reach().issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ x: 'a'.repeat(17_000) }),
    })

    expect([reply.status, ((await reply.json()) as Record<string, unknown>)['error']]).toEqual([413, 'invalid_request'])
    expect((await fetch(`${reach().issuer}/jwks`)).status).toBe(200)
  })
}

/** Ann signs in to `my-app` and consents. Returns the tokens, and the cookies of her browser. */
export async function signInToExample(example: Example) {
  const config = await client.discovery(
    new URL(example.issuer),
    'my-app',
    undefined,
    client.ClientSecretBasic(example.secret),
    { execute: [client.allowInsecureRequests] },
  )
  const codeVerifier = client.randomPKCECodeVerifier()
  const start = client.buildAuthorizationUrl(config, {
    redirect_uri: `${example.app ?? 'http://localhost:4000'}/callback`,
    scope: 'openid profile email offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    nonce: 'n1',
    prompt: 'consent',
  })

  const login = await browse(start)
  const consent = await browse(login.next, 'username=ann&password=example', login.cookies)
  const back = await browse(
    consent.next,
    'decision=allow&scope=openid&scope=profile&scope=email&scope=offline_access',
    `${login.cookies}; ${consent.cookies}`,
  )
  const tokens = await client.authorizationCodeGrant(config, back.next, {
    pkceCodeVerifier: codeVerifier,
    expectedNonce: 'n1',
  })
  return { config, tokens, cookies: `${login.cookies}; ${consent.cookies}` }
}

/** Opens a page or posts its form. Returns where the browser is sent and which cookies are set. */
async function browse(
  url: URL,
  form?: string,
  cookies = '',
): Promise<{ readonly next: URL; readonly cookies: string }> {
  const reply = await navigate(url, {
    headers: {
      cookie: cookies,
      ...(form !== undefined && { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form !== undefined && { method: 'POST', body: form }),
  })
  const given = reply.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { next: new URL(reply.headers.get('location') ?? `missing:${reply.status}`), cookies: given.join('; ') }
}
