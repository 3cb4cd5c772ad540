import { createScimServer, registerIdentityProvider, type ScimEvent, type ScimServerOptions } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { interceptStorage } from '../support/probed-server.ts'

const issuer = 'https://as.test'
const aUser = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ben' }
const deactivation = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
}

// Each storage call is a round trip to a database in every request. Explain the reason when you add one.
describe('work per SCIM write', () => {
  // The second read detects that the provider was disabled, and its users deactivated, since the first read.
  it('a POST reads the provider, writes the user, and reads the provider again (RFC 7644 §3.3)', async () => {
    const { callsOf } = await aProvisionedUser({})

    expect(await callsOf('POST', '/Users', { ...aUser, userName: 'ann' })).toEqual([
      'identityProviders.find',
      'provisionedUsers.insert',
      'identityProviders.find',
    ])
  })

  it('a PATCH that deactivates a user reads the provider and the user, and writes the user (RFC 7644 §3.5.2)', async () => {
    const { callsOf, path } = await aProvisionedUser({})

    expect(await callsOf('PATCH', path, deactivation)).toEqual([
      'identityProviders.find',
      'provisionedUsers.find',
      'provisionedUsers.compareAndSwap',
    ])
  })

  it('a PATCH reads the grants and sessions that it revoked only if a listener receives the event', async () => {
    const events: ScimEvent[] = []
    const { callsOf, path } = await aProvisionedUser({ onEvent: (event) => void events.push(event) })

    expect((await callsOf('PATCH', path, deactivation)).slice(3)).toEqual(['grants.listByUser', 'sessions.listByUser'])
    expect(events.at(-1)).toMatchObject({ type: 'user.deactivated', revoked: { grants: [], sessionIds: [] } })
  })
})

/** @returns the path of a user, and `callsOf`, which sends a request and returns its storage calls. */
async function aProvisionedUser(options: Pick<ScimServerOptions, 'onEvent'>) {
  const calls: string[] = []
  const storage = interceptStorage(createMemoryStorage({ issuer }), (call) => void calls.push(call))
  const { secret, tenantUrl } = await registerIdentityProvider({ providerId: 'acme' }, { storage })
  const server = createScimServer({ issuer, storage, ...options })

  const send = (method: string, path: string, body: object) =>
    server.handle({
      method,
      url: new URL(tenantUrl + path),
      headers: new Map(Object.entries({ authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' })),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(JSON.stringify(body)),
    })

  const { body } = await send('POST', '/Users', aUser)
  const { id } = JSON.parse(String(body)) as { readonly id: string }
  return {
    path: `/Users/${id}`,
    callsOf: async (...sent: Parameters<typeof send>) => {
      calls.length = 0
      await send(...sent)
      return calls
    },
  }
}
