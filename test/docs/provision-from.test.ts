import { readFileSync } from 'node:fs'

import { createAdministration } from '@mintmark/admin'
import { createScimServer } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { replayTranscript, transcripts } from '@mintmark/testkit'
import { describe, expect, it } from 'vitest'

import { sendTo } from './client-at-app.ts'

describe.each([
  ['okta', transcripts.okta],
  ['entra', transcripts.entra],
] as const)('docs/how-to/provision-from-%s.md', (product, transcript) => {
  const issuer = 'https://login.example'
  const storage = createMemoryStorage({ issuer })
  const { identityProviders } = createAdministration({ storage }).as({ kind: 'host', id: 'test' })
  const page = readFileSync(`docs/how-to/provision-from-${product}.md`, 'utf8')
  const registered = identityProviders.register({
    providerId: 'acme',
    displayName: 'Acme Inc.',
    toleranceProfile: product,
  })

  it('names each field, and the value that `idp setup` prints if all connections have the same', async () => {
    const { provider } = await registered
    const { fields } = await identityProviders.setup('acme', product)

    const commonFields = Object.entries(fields).filter(
      ([name, value]) => name !== 'Authorization' && !value.includes('secret') && value !== provider.tenantUrl,
    )
    expect(Object.keys(fields).filter((name) => !page.includes(`| ${name} |`))).toEqual([])
    expect(commonFields.filter(([, value]) => !page.replaceAll('`', '').includes(`| ${value} |`))).toEqual([])
  })

  it('registers a connection that accepts every recorded request of the product', async () => {
    const { provider, secret } = await registered
    expect(page).toContain(`--profile ${product}`)

    const scim = createScimServer({ issuer, storage, onEvent: () => undefined })
    const replayed = await replayTranscript(transcript, {
      baseUrl: provider.tenantUrl,
      authorization: `Bearer ${secret}`,
      fetch: sendTo(scim),
    })

    expect(replayed.steps.filter(({ problems }) => problems.length > 0)).toEqual([])
    expect(replayed.passed).toBe(true)
  })
})

it("accepts requests with the feature flag that administrators append to Entra's Tenant URL", async () => {
  const issuer = 'https://login.example'
  const storage = createMemoryStorage({ issuer })
  const { identityProviders } = createAdministration({ storage }).as({ kind: 'host', id: 'test' })
  const { provider, secret } = await identityProviders.register({ providerId: 'acme', displayName: 'Acme Inc.' })
  const send = sendTo(createScimServer({ issuer, storage }))

  const found = await send(`${provider.tenantUrl}/Users?aadOptscim062020&filter=userName eq "nobody"`, {
    headers: { authorization: `Bearer ${secret}` },
  })

  expect([found.status, await found.json()]).toMatchObject([200, { totalResults: 0 }])
})
