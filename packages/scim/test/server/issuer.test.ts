import type { ServerRequest } from '@mintmark/core/http'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { createScimServer, registerIdentityProvider } from '../../src/index.ts'

test.each(['https://as.test', 'https://as.test:8443', 'https://as.test/tenant/a'])(
  'serves SCIM under the issuer %s',
  async (issuer) => {
    const storage = createMemoryStorage({ issuer })
    const { tenantUrl, secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage })
    const server = createScimServer({ issuer, storage })
    const request = (method: string, url: string, body = ''): ServerRequest => ({
      method,
      url: new URL(url),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body),
    })

    const { status, headers } = await server.handle(
      request(
        'POST',
        `${tenantUrl}/Users`,
        '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"kim"}',
      ),
    )
    const location = new Map(headers).get('Location') ?? ''

    expect(tenantUrl).toBe(`${issuer}/scim/v2/enterprise-idps/T1`)
    expect(status).toBe(201)
    expect(location.startsWith(`${tenantUrl}/Users/`)).toBe(true)
    expect(server.serves(new URL(location).pathname)).toBe(true)
    expect(await server.handle(request('GET', location))).toMatchObject({ status: 200 })
  },
)

test.each([
  ['https://as.test', 'https://as.test/a', /^The storage is bound to another issuer/],
  ['https://as.test/', 'https://as.test/', /no query, fragment, credentials or trailing slash/],
  ['https://AS.test', 'https://AS.test', /Write it as https:\/\/as\.test/],
  ['http://as.test', 'http://as.test', /must use https/],
  ['ftp://as.test', 'ftp://as.test', /must use https/],
  ['as.test', 'as.test', /must be an absolute URL/],
  ['https://as.test?x', 'https://as.test?x', /Write it as https:\/\/as\.test/],
])('refuses to start with a storage of %s and the issuer %s', (stored, issuer, message) => {
  expect(() => createScimServer({ issuer, storage: createMemoryStorage({ issuer: stored }) })).toThrow(message)
})
