import { createScimServer } from '@mintmark/scim'
import { epochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'
import { jsonText } from '@mintmark/storage-interface/stores'

import { keepRequestLog } from '../src/index.ts'
import { expectRefused, issuer, startAdmin } from './admin-under-test.ts'

const entra = { providerId: 'contoso', displayName: 'Contoso', toleranceProfile: 'entra' } as const

it('a provider is registered with a SCIM Tenant URL and a Secret Token that is shown once', async () => {
  const system = startAdmin()

  const { provider, secret } = await system.admin.identityProviders.register(entra)

  expect(provider).toMatchObject({
    ...entra,
    tenantUrl: `${issuer}/scim/v2/enterprise-idps/contoso`,
    disabledAt: undefined,
  })
  expect(secret).toMatch(/^mmscim_contoso_[\w-]{43}$/)
  const shown = JSON.stringify([
    await system.admin.identityProviders.list(),
    await system.admin.audit.list(),
    system.events,
    system.dump(),
  ])
  expect(shown).not.toContain(secret)
})

it('rejects identifiers that are taken or invalid, and invalid settings of a provider', async () => {
  const system = startAdmin()
  const { identityProviders } = system.admin
  await identityProviders.register(entra)

  await expectRefused(system, () => identityProviders.register(entra), 'identifier_taken')
  await expectRefused(system, () => identityProviders.register({ providerId: 'a_b' }), 'identifier_invalid')
  await expectRefused(
    system,
    () => identityProviders.update({ providerId: 'contoso' }, { displayName: '' }),
    'display_name_invalid',
  )
  await expectRefused(
    system,
    () => identityProviders.update({ providerId: 'contoso' }, { toleranceProfile: 'toString' as 'all' }),
    'tolerance_profile_unknown',
  )
  await expectRefused(
    system,
    () => identityProviders.update({ providerId: 'contoso' }, { clientIds: ['none'] }),
    'client_unknown',
  )
  await expectRefused(
    system,
    () => identityProviders.update({ providerId: 'contoso', version: 7 }, {}),
    'version_mismatch',
  )
  await identityProviders.remove({ providerId: 'contoso' })
  await expectRefused(system, () => identityProviders.register(entra), 'identifier_taken')
  await expectRefused(system, () => identityProviders.read('contoso'), 'provider_unknown')
})

it('a provider can have two secrets, is disabled and enabled, and is released from its deprovisioning limit', async () => {
  const system = startAdmin()
  const { identityProviders } = system.admin
  await identityProviders.register(entra)
  await identityProviders.addSecret('contoso', { previousExpiresAt: system.clock.now() + 60 })

  expect((await identityProviders.read('contoso')).secrets).toMatchObject([
    { expiresAt: system.clock.now() + 60 },
    { expiresAt: undefined },
  ])
  await identityProviders.revokePreviousSecrets('contoso')
  const { version } = await identityProviders.read('contoso')
  await expectRefused(
    system,
    () => identityProviders.disable({ providerId: 'contoso', version: version + 1 }),
    'version_mismatch',
  )
  expect(await identityProviders.disable({ providerId: 'contoso', version })).toMatchObject({
    disabledAt: system.clock.now(),
  })
  expect(await identityProviders.enable({ providerId: 'contoso' })).toMatchObject({ disabledAt: undefined })
  const record = await system.storage.identityProviders.find(providerId('contoso'))
  if (record === undefined) throw new Error('There is no provider.')
  const deprovisioning = {
    windowStartedAt: system.clock.now(),
    count: 9,
    cohorts: [{ newest: undefined, size: 40, count: 9 }],
    suspendedAt: system.clock.now(),
  }
  await system.storage.identityProviders.compareAndSwap({ ...record, deprovisioning: deprovisioning }, record.version)
  expect(await identityProviders.releaseDeprovisioning({ providerId: 'contoso' })).toMatchObject({
    deprovisioning: undefined,
  })
  const [logged] = (await system.admin.audit.list({ limit: 1 })).items
  expect(logged?.detail['before']).toMatchObject({
    deprovisioning: { windowStartedAt: system.clock.now(), count: 9, suspendedAt: system.clock.now() },
  })
})

it('the setup text contains the values to paste, and a step if the tolerance profile does not fit the product', async () => {
  const system = startAdmin()
  const { identityProviders } = system.admin
  const { secret } = await identityProviders.register(entra)

  const toEntra = await identityProviders.setup('contoso', 'entra')
  const toOkta = await identityProviders.setup('contoso', 'okta')

  expect(toEntra.fields['Tenant URL']).toBe(`${issuer}/scim/v2/enterprise-idps/contoso`)
  expect(toEntra.text).toMatchInlineSnapshot(`
    "Provision users from Microsoft Entra ID to Contoso

    Values to paste:
       Tenant URL: https://as.test/scim/v2/enterprise-idps/contoso
       Secret Token: the secret that was shown when the connection was registered, or a new one

    1. In the Entra admin center, open Enterprise applications, New application, Create your own application, and choose the integration of an application that is not in the gallery.
    2. Open Provisioning, choose the mode Automatic, paste the Tenant URL and the Secret Token under Admin Credentials, and press Test Connection.
    3. Under Mappings, Provision Microsoft Entra ID Users, change the source of externalId from mailNickname to objectId, which does not change when a user is renamed.
    4. Keep userName as the matching attribute, from userPrincipalName, and Switch([IsSoftDeleted], …) for active: deactivation ends all access at once.
    5. Under Users and groups, assign the users and groups to provision, and press Start provisioning. Entra works in cycles of about 40 minutes; Provision on demand provisions one user immediately.
    6. No e-mail domain is verified for this connection, so no address counts as verified. To change this, prove to the operator of the service that a domain is yours.
    "
  `)
  expect(toOkta.steps.join('\n')).toContain('choose the tolerance profile okta')
  expect(toEntra.steps.join('\n')).not.toContain('tolerance profile')
  expect(toEntra.text + toOkta.text).not.toContain(secret)
})

it('the request log of a provider contains neither queries nor bodies, and its entries expire (RFC 7644 §7.5.2)', async () => {
  const system = startAdmin()
  const { identityProviders } = system.admin
  const { secret } = await identityProviders.register(entra)
  const onRequest = keepRequestLog({ storage: system.storage, retention: 60, clock: () => system.clock.now() })
  const scim = createScimServer({ issuer, storage: system.storage, clock: () => system.clock.now(), onRequest })
  const request = (method: string, path: string, body = '') =>
    scim.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/contoso${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body),
    })

  await request('GET', '/Users?filter=userName%20eq%20%22ann%22')
  await request('POST', '/Users', '{"password":"hunter2"}')
  await new Promise(setImmediate)

  const { items } = await identityProviders.requests('contoso')
  expect(items.map(({ detail }) => detail)).toMatchObject([
    { method: 'POST', path: '/scim/v2/enterprise-idps/contoso/Users', status: 400, reason: 'value_required' },
    { method: 'GET', path: '/scim/v2/enterprise-idps/contoso/Users', status: 200 },
  ])
  expect(JSON.stringify(items.map(({ detail }) => detail))).not.toMatch(/ann|bob|hunter2|mmscim_/)
  await system.storage.purge.purgeExpired({ now: (system.clock.advance(60), system.clock.now()), limit: 100 })
  expect(await identityProviders.requests('contoso')).toEqual({ items: [], next: undefined })
})

it('the verified domains of a provider are set in lower case, and shown in the set-up instructions', async () => {
  const system = startAdmin()
  const { identityProviders } = system.admin
  await identityProviders.register({ ...entra, verifiedDomains: ['Contoso.com', 'contoso.com'] })
  expect(await identityProviders.read('contoso')).toMatchObject({ verifiedDomains: ['contoso.com'] })
  expect((await identityProviders.setup('contoso', 'okta')).text).toContain(
    'Addresses in contoso.com count as verified',
  )

  await identityProviders.update({ providerId: 'contoso' }, { verifiedDomains: ['new.test'] })

  expect(await identityProviders.read('contoso')).toMatchObject({ verifiedDomains: ['new.test'] })
  await expectRefused(
    system,
    () => identityProviders.update({ providerId: 'contoso' }, { verifiedDomains: ['com'] }),
    'domain_invalid',
  )
})

it('deactivates the users of a removed provider page by page, except the last administrator', async () => {
  const system = startAdmin({ lastAdministrators: { protectedRoles: ['owner'] } })
  const { identityProviders, organizations, users, audit } = system.admin
  await identityProviders.register(entra)
  const insert = (id: string, provider: string) =>
    system.storage.provisionedUsers.insert({
      providerId: providerId(provider),
      userId: userId(id),
      state: {
        active: true,
        externalId: id,
        resource: jsonText({ userName: id }),
        renderKey: undefined,
        comparable: { userName: id },
        claims: {},
      },
      createdAt: epochSeconds(1_700_000_000),
    })
  for (const id of ['u1', 'u2', 'u3', 'u4', 'u5']) await insert(id, 'contoso')
  await insert('other', 'fabrikam')
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  await organizations.writeMember({ organizationId: 'acme', userId: 'u2' }, ['owner'])
  await expectRefused(system, () => identityProviders.deactivateUsers('contoso'), 'provider_enabled')
  await identityProviders.remove({ providerId: 'contoso' })

  const parts = []
  for (let after: string | undefined, done = false; !done;) {
    const part = await identityProviders.deactivateUsers('contoso', { after, limit: 2 })
    parts.push([part.deactivated, part.kept])
    after = part.next
    done = after === undefined
  }

  expect(parts).toEqual([
    [1, 1],
    [2, 0],
    [1, 0],
  ])
  const isActive = async (id: string) => (await users.read(id)).active
  expect(await Promise.all(['u1', 'u2', 'u3', 'u4', 'u5', 'other'].map(isActive))).toEqual([
    false,
    true,
    false,
    false,
    false,
    true,
  ])
  expect(await users.read('u1')).toMatchObject({ providerId: 'contoso', blockedAt: expect.any(Number) as number })
  expect(await identityProviders.deactivateUsers('contoso')).toEqual({ deactivated: 0, kept: 1, next: undefined })
  const types = (await audit.list({ limit: 200 })).items.map(({ type }) => type)
  expect(types.filter((type) => type === 'user.deactivated').length).toBeGreaterThanOrEqual(8)
  expect(types).toContain('provider.users_deactivated')
})
