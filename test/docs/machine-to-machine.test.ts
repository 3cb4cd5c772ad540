import { generateKeyPairSync } from 'node:crypto'

import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createResourceServer } from '@mintmark/resource-server'
import type { JsonObject } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

import { sendTo } from './client-at-app.ts'
import { createJob } from '../../docs/snippets/machine-to-machine/job.ts'
import { registerWithKey, registerWithSecret } from '../../docs/snippets/machine-to-machine/register.ts'
import { serverOptions } from '../../docs/snippets/machine-to-machine/server-options.ts'
import { signedConfig } from '../../docs/snippets/machine-to-machine/signed-job.ts'
import { tokenSource } from '../../docs/snippets/machine-to-machine/token-source.ts'

const issuer = 'https://login.example'
const storage = createMemoryStorage({ issuer })
const events: string[] = []
const server = createAuthorizationServer({
  ...serverOptions,
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
  signedIn: () => Promise.resolve(undefined),
  onEvent: (event) => void events.push(event.type === 'request.refused' ? event.reason : event.type),
})
const toServer = sendTo(server)
const api = createResourceServer({ issuer, audience: 'https://api.example.com', fetch: toServer })

/** Replaces the network for the programs of the page: requests reach the server or an API in this process. */
const network: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  if (!request.url.startsWith('https://api.example.com/')) return toServer(request)
  const token = await api.require('invoices.read').admit([request.headers.get('authorization') ?? ''])
  return Response.json({ subject: token.subject, clientId: token.clientId, scopes: token.scopes })
}
beforeAll(() => vi.stubGlobal('fetch', network))
afterAll(() => vi.unstubAllGlobals())

it('the job calls the API as itself and requests one token however often it calls', async () => {
  const { clientSecret = '' } = await registerWithSecret(storage)
  const job = await createJob(issuer, clientSecret)

  const answers = await Promise.all([job(), job()])
  const again = await job()

  expect(await Promise.all([...answers, again].map((answer) => answer.json()))).toEqual(
    Array.from({ length: 3 }, () => ({ subject: 'billing', clientId: 'billing', scopes: ['invoices.read'] })),
  )
  expect(events).toEqual(['tokens.issued'])
})

it('a job with a key gets tokens without a secret (RFC 7523 §2.2)', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { clientSecret } = await registerWithKey(storage, publicKey.export({ format: 'jwk' }) as JsonObject)
  const config = await signedConfig(issuer, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)

  const token = await tokenSource(config)()

  expect(clientSecret).toBeUndefined()
  expect(await server.accessToken(token)).toBeUndefined()
  await expect(api.require('invoices.read').admit([`Bearer ${token}`])).resolves.toMatchObject({
    subject: 'billing-signed',
  })
  await expect(api.require('invoices.write').admit([`Bearer ${token}`])).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
})
