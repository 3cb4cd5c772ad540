import { epochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { createOpenClients, type OpenRegistrationSettings } from './open-registration.ts'

const now = epochSeconds(1000)
const metadata = {
  clientName: 'Tool',
  redirectUris: ['http://localhost:3118/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
}

function clientsWith(
  settings: Partial<OpenRegistrationSettings> | undefined,
  {
    issuer = 'https://as.test',
    secrets = [1],
  }: { readonly issuer?: string; readonly secrets?: readonly number[] } = {},
) {
  return createOpenClients(settings && { scopes: ['openid'], redirectHosts: [], ...settings }, {
    issuer,
    keys: { deriveSecrets: () => Promise.resolve(secrets.map((byte) => new Uint8Array(32).fill(byte))) },
    minimumProfile: 'standard',
  })
}

describe('open registration (RFC 7591 Appendix A.5.2)', () => {
  it('gives the same client_id to the same metadata, whatever the loopback port and the order', async () => {
    const clients = clientsWith({})
    const uris = ['http://127.0.0.1:5000/cb', 'http://[::1]:0/cb', 'http://localhost:5000/cb']

    const { client: one } = await clients.register({ ...metadata, redirectUris: uris }, now)
    const { client: other } = await clients.register(
      { ...metadata, redirectUris: uris.toReversed().map((uri) => uri.replace('5000', '6000')) },
      epochSeconds(2000),
    )

    expect(other.clientId).toBe(one.clientId)
    expect(one.redirectUris).toEqual(['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb'])
  })

  it.each([
    ['the name', { clientName: 'Other' }],
    ['a redirect URI', { redirectUris: ['http://localhost/other'] }],
    ['the grant types', { grantTypes: ['authorization_code'] }],
  ])('gives another client_id when %s differs', async (_, change) => {
    const clients = clientsWith({})

    const [one, other] = await Promise.all([
      clients.register(metadata, now),
      clients.register({ ...metadata, ...change }, now),
    ])

    expect(other.client.clientId).not.toBe(one.client.clientId)
  })

  it('reads back what it has registered', async () => {
    const clients = clientsWith({})
    const { client: registered } = await clients.register({ ...metadata, clientName: ' Wörk ✓ ' }, now)

    expect(await clients.identify(registered.clientId, undefined, now)).toEqual(registered)
    expect(registered).toMatchObject({ clientName: 'Wörk ✓', tokenEndpointAuthMethod: 'none', requirePkce: true })
  })

  it.each([
    ['another issuer', { issuer: 'https://other.test' }],
    ['another sealing key', { secrets: [2] }],
  ])('refuses a client_id of %s', async (_, change) => {
    const {
      client: { clientId },
    } = await clientsWith({}, change).register(metadata, now)

    await expect(clientsWith({}).identify(clientId, undefined, now)).rejects.toMatchObject({
      reason: 'client_id_forged',
    })
  })

  it('accepts a client_id that was created with an earlier sealing key', async () => {
    const {
      client: { clientId },
    } = await clientsWith({}, { secrets: [1] }).register(metadata, now)

    const read = await clientsWith({}, { secrets: [2, 1] }).identify(clientId, undefined, now)

    expect(read.clientName).toBe('Tool')
  })

  it('keeps a stored client when the earlier sealing key is gone', async () => {
    const { client: stored } = await clientsWith({}, { secrets: [1] }).register(metadata, now)
    const later = clientsWith({}, { secrets: [2] })

    expect(await later.identify(stored.clientId, stored, now)).toEqual(stored)
    expect(later.permitted(stored)).toEqual(stored)
  })

  it.each([
    ['https://tool.test/cb', 'tool.test'],
    ['https://tool.test:8443/cb', 'tool.test'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor'],
    ['com.example.tool:/cb', 'com.example.tool'],
  ])('registers %s only if %s is listed, and refuses the client once it is not (RFC 7591 §5)', async (uri, host) => {
    const open = clientsWith({ redirectHosts: [host] })
    const closed = clientsWith({ redirectHosts: [`other.${host}`] })
    const { client } = await open.register({ ...metadata, redirectUris: [uri] }, now)

    expect(client.redirectUris).toEqual([uri])
    expect(open.permitted(client)).toEqual(client)
    await expect(closed.register({ ...metadata, redirectUris: [uri] }, now)).rejects.toMatchObject({
      code: 'invalid_redirect_uri',
    })
    for (const stored of [undefined, client])
      await expect(closed.identify(client.clientId, stored, now)).rejects.toMatchObject({
        reason: 'client_redirects_not_allowed',
      })
    expect(closed.permitted(client)).toBeUndefined()
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://tool.test/cb',
    'https://tool.test.evil.test/cb',
    'https://evil.test/tool.test',
    'https://tool.test@evil.test/cb',
    'https://localhost/cb',
    'http://localhost.evil.test/cb',
    'cursor-evil://cb',
    'not a URI',
  ])('does not register %s (RFC 9700 §2.1)', async (uri) => {
    const clients = clientsWith({ redirectHosts: ['tool.test', 'cursor'] })

    await expect(clients.register({ ...metadata, redirectUris: [uri] }, now)).rejects.toMatchObject({
      code: 'invalid_redirect_uri',
    })
    const { client: beside } = await clients.register(
      { ...metadata, redirectUris: [uri, ...metadata.redirectUris] },
      now,
    )
    expect(beside.redirectUris).toEqual(['http://localhost/callback'])
  })

  it('refuses metadata that do not fit into a client_id', async () => {
    const clients = clientsWith({})

    await expect(clients.register({ ...metadata, clientName: 'x'.repeat(800) }, now)).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
    expect(
      (await clients.register({ ...metadata, clientName: 'x'.repeat(500) }, now)).client.clientId.length,
    ).toBeLessThan(1024)
  })

  it('refuses every client when it is off', async () => {
    const { client: stored } = await clientsWith({}).register(metadata, now)
    const off = clientsWith(undefined)

    await expect(off.register(metadata, now)).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    await expect(off.identify(stored.clientId, stored, now)).rejects.toMatchObject({ reason: 'client_unknown' })
    expect(off.permitted(stored)).toBeUndefined()
  })
})
