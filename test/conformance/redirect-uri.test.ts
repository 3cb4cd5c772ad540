import { ClientMetadataError, registerClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { open, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())

describe('redirect_uri', () => {
  it.each([
    ['is missing', undefined, 'redirect_uri_missing'],
    ['is not registered', 'https://other.test/cb', 'redirect_uri_mismatch'],
    ['has another path', 'https://app.test/cb/more', 'redirect_uri_mismatch'],
    ['has a query added', 'https://app.test/cb?foo=bar', 'redirect_uri_mismatch'],
    ['has a fragment added', 'https://app.test/cb#foo', 'redirect_uri_mismatch'],
  ] as const)('shows the user a local page when it %s (OIDC Core §3.1.2.1)', async (_title, redirectUri, reason) => {
    await expectErrorPage(site, { reason, send: () => open(site, { redirect_uri: redirectUri }, 'U1') })
  })

  it('a registered query is kept, and the response is added to it (RFC 6749 §3.1.2)', async () => {
    await changeClient(site.storage, clientId('A'), { redirectUris: ['https://app.test/cb?foo=bar'] })

    const reply = await open(site, { redirect_uri: 'https://app.test/cb?foo=bar' }, 'U1')

    expect(reply.header('location')).toMatch(/^https:\/\/app\.test\/cb\?foo=bar&code=[\w-]{43}&state=s1&iss=/)
  })

  it.each([
    'https://app.test/cb?foo=bar&foo=baz',
    'https://app.test/cb?foo=baz',
    'https://app.test/cb?bar=foo',
    'https://app.test/cb',
  ])('%s does not match https://app.test/cb?foo=bar (OIDC Core §3.1.2.1)', async (redirectUri) => {
    await expectErrorPage(site, {
      reason: 'redirect_uri_mismatch',
      send: () => open(site, { redirect_uri: redirectUri }, 'U1'),
    })
  })

  it('rejects the registration of one with a fragment (RFC 6749 §3.1.2)', async () => {
    const { storage } = site

    const registered = registerClient(
      { clientName: 'Fragment', redirectUris: ['https://app.test/cb#foo'] },
      { storage },
    )

    await expect(registered).rejects.toBeInstanceOf(ClientMetadataError)
  })
})
