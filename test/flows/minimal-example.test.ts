import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import * as client from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { freePort } from '../support/free-port.ts'

let folder: string
let issuer: string
let secret: string
let server: ChildProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mintmark-minimal-'))
  issuer = `http://localhost:${await freePort()}`
  const options = { cwd: folder, env: { ...process.env, ISSUER_URL: issuer, SEALING_KEY: 'A'.repeat(43) } }
  const run = (program: string): readonly string[] => [
    '--conditions=@mintmark/source',
    '--disable-warning=ExperimentalWarning',
    resolve('examples/minimal/src', program),
  ]
  secret = execFileSync(process.execPath, run('register.ts'), options).toString().trim().split(' ').at(-1) ?? ''
  server = spawn(process.execPath, run('server.ts'), { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  await waitUntilUp()
})

afterAll(() => {
  server.kill()
  rmSync(folder, { recursive: true })
})

it("the README's thirty lines: a person signs in and consents, and openid-client gets the tokens", async () => {
  const config = await client.discovery(new URL(issuer), 'my-app', undefined, client.ClientSecretBasic(secret), { execute: [client.allowInsecureRequests] })
  const codeVerifier = client.randomPKCECodeVerifier()
  const start = client.buildAuthorizationUrl(config, {
    redirect_uri: 'http://localhost:4000/callback',
    scope: 'openid profile offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    nonce: 'n1',
  })

  const login = await browse(start)
  const consent = await browse(login.next, 'username=ann&password=example', login.cookies)
  const back = await browse(consent.next, 'decision=allow&scope=openid&scope=profile&scope=offline_access', `${login.cookies}; ${consent.cookies}`)
  const tokens = await client.authorizationCodeGrant(config, back.next, { pkceCodeVerifier: codeVerifier, expectedNonce: 'n1' })

  expect(tokens.claims()).toMatchObject({ sub: 'user-1', name: 'Ann Lee', amr: ['pwd'] })
  expect(await client.fetchUserInfo(config, tokens.access_token, 'user-1')).toMatchObject({ name: 'Ann Lee' })
  expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined()
})

it("the README's thirty lines: an interaction that is not there gets a kind page", async () => {
  const reply = await fetch(`${issuer}/login?interaction=unknown`, { method: 'POST', headers: { origin: issuer } })

  expect(reply.status).toBe(400)
  expect(await reply.text()).toContain('Go back to the app')
})

/** Opens a page or posts its form, and says where the browser is sent and which cookies it was given. */
async function browse(url: URL, form?: string, cookies = ''): Promise<{ readonly next: URL; readonly cookies: string }> {
  const reply = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: cookies, ...(form !== undefined && { origin: issuer, 'content-type': 'application/x-www-form-urlencoded' }) },
    ...(form !== undefined && { method: 'POST', body: form }),
  })
  const given = reply.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { next: new URL(reply.headers.get('location') ?? `missing:${reply.status}`), cookies: given.join('; ') }
}

async function waitUntilUp(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await fetch(`${issuer}/jwks`).then(({ ok }) => ok, () => false)
    if (isUp) return
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error('The example did not start.')
}
