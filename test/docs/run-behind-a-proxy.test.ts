import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { listen } from '../../docs/snippets/run-behind-a-proxy/server.ts'

const storage = createMemoryStorage({ issuer: 'https://login.example' })
let listener: Awaited<ReturnType<typeof listen>>
let address: string
beforeAll(async () => {
  vi.stubEnv('PORT', '0')
  listener = await listen(storage, 'A'.repeat(43))
  vi.unstubAllEnvs()
  await new Promise((resolve) => listener.once('listening', resolve))
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => listener.close(resolve)))

it.each([
  ['no such headers', {}],
  [
    'the headers of the page',
    { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'login.example' },
  ],
  [
    'forged headers',
    { forwarded: 'host=evil.example;proto=http', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
  ],
])('builds its URLs from the issuer for a request with %s (RFC 9700 §2.6)', async (_, headers) => {
  const metadata = (await (await fetch(`${address}/.well-known/openid-configuration`, { headers })).json()) as Record<
    string,
    unknown
  >

  expect([metadata['issuer'], metadata['token_endpoint']]).toEqual([
    'https://login.example',
    'https://login.example/token',
  ])
})

it('sets a Secure __Host- cookie although the proxy connects over plain http (RFC 6265bis §4.1.3.2)', async () => {
  const redirectUri = 'https://app.example/callback'
  await registerClient({ clientId: 'app', clientName: 'App', redirectUris: [redirectUri] }, { storage })
  const query = {
    response_type: 'code',
    client_id: 'app',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }

  const answer = await fetch(`${address}/auth?${new URLSearchParams(query).toString()}`, { redirect: 'manual' })

  expect(answer.headers.get('location')).toMatch(/^https:\/\/login\.example\/login\?/)
  expect(answer.headers.get('set-cookie')).toMatch(/^__Host-.*; Secure/)
})
