import { describe, expect, it } from 'vitest'

import { createEndpointLookup, type ServerEndpoints } from './server-metadata.ts'

/** Creates a lookup for a server whose responses the test defines, with a clock that the test sets. */
function aLookup(
  answer: (path: string) => object | undefined,
  { issuer = 'https://as.test', endpoints = {} }: { issuer?: string; endpoints?: Partial<ServerEndpoints> } = {},
) {
  const at = { seconds: 1000, paths: [] as string[] }
  const fetch: typeof globalThis.fetch = async (url) => {
    const { origin, pathname } = new URL(new Request(url).url)
    at.paths.push(pathname)
    const metadata = answer(pathname)
    return metadata === undefined ? new Response(null, { status: 404 }) : Response.json({ issuer: origin, ...metadata })
  }
  return { at, endpointOf: createEndpointLookup({ issuer, endpoints, fetch, clock: () => at.seconds * 1000 }) }
}

const elsewhere = { jwks_uri: 'https://keys.test/set', introspection_endpoint: 'https://as.test/introspect' }

describe('the endpoints of an authorization server', () => {
  it('come from its metadata, which is read once an hour (RFC 8414 §2)', async () => {
    const { at, endpointOf } = aLookup(() => elsewhere)

    const [jwks, introspection] = [await endpointOf('jwks'), await endpointOf('introspection')]
    at.seconds += 3599
    await endpointOf('jwks')
    const before = at.paths.length
    at.seconds += 1
    await endpointOf('jwks')

    expect([jwks, introspection]).toEqual(['https://keys.test/set', 'https://as.test/introspect'])
    expect([before, at.paths.length]).toEqual([1, 2])
  })

  it.each([
    ['https://as.test', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
    ['https://as.test/id', '/.well-known/oauth-authorization-server/id', '/id/.well-known/openid-configuration'],
  ])('of %s are looked for at %s and then at %s (RFC 8414 §3.1)', async (issuer, first, second) => {
    const { at, endpointOf } = aLookup((path) => (path === second ? { ...elsewhere, issuer } : undefined), { issuer })

    expect(await endpointOf('jwks')).toBe('https://keys.test/set')
    expect(at.paths).toEqual([first, second])
  })

  it.each<readonly [string, object | undefined]>([
    ['cannot be read', undefined],
    ['belongs to another issuer (RFC 8414 §3.3)', { ...elsewhere, issuer: 'https://evil.test' }],
    ['has addresses without TLS (RFC 8414 §2)', { jwks_uri: 'http://keys.test/set' }],
    ['has no addresses', {}],
  ])('are the default endpoints when the metadata %s', async (_, metadata) => {
    const { endpointOf } = aLookup(() => metadata)

    expect(await endpointOf('jwks')).toBe('https://as.test/jwks')
    expect(await endpointOf('introspection')).toBe('https://as.test/token/introspection')
    expect(await endpointOf('revocationFeed')).toBe('https://as.test/token/revocation-feed')
  })

  it('stay the same during an outage, with an attempt to read the metadata every five seconds', async () => {
    let isUp = true
    const { at, endpointOf } = aLookup(() => (isUp ? elsewhere : undefined))
    await endpointOf('jwks')
    isUp = false
    at.seconds += 3600
    at.paths.splice(0)

    const during = await Promise.all(Array.from({ length: 20 }, () => endpointOf('jwks')))
    at.seconds += 5
    await endpointOf('jwks')

    expect(new Set(during)).toEqual(new Set(['https://keys.test/set']))
    expect(at.paths).toHaveLength(4)
  })

  it('are not looked up when the host configures them', async () => {
    const { at, endpointOf } = aLookup(() => elsewhere, { endpoints: { jwks: 'http://as.internal/jwks' } })

    expect(await endpointOf('jwks')).toBe('http://as.internal/jwks')
    expect(at.paths).toEqual([])
  })
})
