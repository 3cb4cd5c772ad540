import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, expect, it, vi } from 'vitest'

import { registerBank } from '../../docs/snippets/fapi-2/register.ts'
import { pushSignedRequest, configure } from '../../docs/snippets/fapi-2/sign-in.ts'
import { challenge } from '../support/flow.ts'
import { sendTo } from './client-at-app.ts'

const issuer = 'https://login.example'

afterAll(() => void vi.unstubAllGlobals())

it('the client of the page pushes a signed request, and the browser sends only a reference (RFC 9126, RFC 9101)', async () => {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const server = createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined) })
  const pair = await generateKeyPair('ES256', { extractable: true })
  const key = { key: pair.privateKey, kid: 'k1' }
  await registerBank(storage, { ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: 'k1' })
  vi.stubGlobal('fetch', sendTo(server))

  const config = await configure(new URL(issuer), key)
  const address = await pushSignedRequest(config, key, {
    redirect_uri: 'https://bank.example/callback',
    scope: 'openid',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })

  expect(address.origin + address.pathname).toBe(`${issuer}/auth`)
  expect([...address.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
})
