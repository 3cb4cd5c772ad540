import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'

import { registerApplication, registerDirectory } from '../../docs/snippets/ipsie/register.ts'

it('the registrations of the page are accepted, and the directory gets no Secret Token', async () => {
  const storage = createMemoryStorage({ issuer: 'https://login.example' })
  const { publicKey } = await generateKeyPair('ES256')

  const { client } = await registerApplication(storage)
  const { provider, secret } = await registerDirectory(storage, { ...(await exportJWK(publicKey)) })

  expect(client).toMatchObject({ profile: 'ipsie_sl1', idTokenSignedResponseAlg: 'ES256' })
  expect([secret, provider.secrets, provider.clientIds]).toEqual([undefined, [], ['acme-directory']])
})
