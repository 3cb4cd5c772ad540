import { spawnSync } from 'node:child_process'

import { createAuthorizationServer, registerClient } from '@mintmark/core'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { expect, it } from 'vitest'

import { sendTo } from './client-at-app.ts'
import { endOldSecrets, rotateSecret } from '../../docs/snippets/rotate-keys/client-secret.ts'
import { endOldSecretTokens, rotateSecretToken } from '../../docs/snippets/rotate-keys/provider-secret.ts'
import { keys } from '../../docs/snippets/rotate-keys/vault.ts'
import { storage } from '../../docs/snippets/rotate-keys/yours.ts'

const reasons: string[] = []
const server = createAuthorizationServer({
  issuer: storage.issuer,
  storage,
  keys,
  signedIn: () => Promise.resolve(undefined),
  onEvent: (event) => void (event.type === 'request.refused' && reasons.push(event.reason)),
})

it.each([
  [
    'rotate.ts',
    /^ES256 announced [\w-]{43}\nRS256 announced [\w-]{43}\n(?:[\w-]{43} (?:ES|RS)256 signing \d s old\n){2}$/,
  ],
  ['drop.ts', /^absent\n$/],
])('%s of the guide runs', (program, output) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@mintmark/source', `docs/snippets/rotate-keys/${program}`],
    { encoding: 'utf8' },
  )

  expect(stdout, stderr).toMatch(output)
})

it('the vault in the guide signs with ES256 (RFC 7518 §3.4)', async () => {
  const signer = await keys.signer('ES256')

  expect((await signer.sign(new Uint8Array(1))).length).toBe(64)
})

it('a new client secret and the old one both work until the old one expires', async () => {
  const send = sendTo(server)
  const { clientSecret: first = '' } = await registerClient(
    { clientId: 'my-app', clientName: 'My app', redirectUris: ['https://app.example/'] },
    { storage },
  )
  const verdict = async (secret: string): Promise<number> => {
    const authorization = `Basic ${btoa(`my-app:${secret}`)}`
    const { status } = await send(`${storage.issuer}/token/introspection`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ token: 'x' }),
    })
    return status
  }

  const second = await rotateSecret('my-app', storage)
  const during = [await verdict(first), await verdict(second)]
  await endOldSecrets('my-app', storage)

  expect([during, await verdict(first), await verdict(second)]).toEqual([[200, 200], 401, 200])
  expect(reasons).toEqual(['client_credentials_wrong'])
})

it('a new Secret Token and the old one both work until the old one expires', async () => {
  const { secret: first, tenantUrl } = await registerIdentityProvider(
    { providerId: 'acme', displayName: 'Acme Inc.' },
    { storage },
  )
  const send = sendTo(createScimServer({ issuer: storage.issuer, storage, onEvent: () => undefined }))
  const verdict = async (secret: string): Promise<number> =>
    (await send(`${tenantUrl}/Users?count=0`, { headers: { authorization: `Bearer ${secret}` } })).status

  const second = await rotateSecretToken('acme', storage)
  const during = [await verdict(first), await verdict(second)]
  await endOldSecretTokens('acme', storage)

  expect([during, await verdict(first), await verdict(second)]).toEqual([[200, 200], 401, 200])
})
