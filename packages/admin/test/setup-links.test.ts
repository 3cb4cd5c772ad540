import { describe, expect, it } from 'vitest'

import { createAdminServer } from '../src/index.ts'
import { expectRefused, issuer, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

/** An administration with two directories, and what the page for the holders of set-up links calls. */
async function withDirectories() {
  const system = startAdmin()
  for (const providerId of ['corp', 'other']) await system.admin.identityProviders.register({ providerId })
  const { setupLinks } = createAdminServer({
    issuer,
    storage: system.storage,
    clock: () => system.clock.now(),
    authorize: () => Promise.resolve(undefined),
  })
  const create = async (id: string, lifetime?: number) => {
    const { url } = await system.admin.identityProviders.createSetupLink(id, { lifetime })
    return url.replace(`${issuer}/directory-setup/`, '')
  }
  const enter = async (token: string) => (await setupLinks.exchange(token))?.value ?? 'refused'
  return { ...system, setupLinks, create, enter }
}

const actionsOf = async ({ admin }: AdminUnderTest) =>
  (await admin.audit.list({ limit: 100 })).items.map(
    ({ type, detail: { actor, stage } }) => [type, (actor as { id: string }).id, stage] as const,
  )

describe('a set-up link', () => {
  it('lets its holder see and change one directory, in the name of the link', async () => {
    const system = await withDirectories()
    const setup = await system.setupLinks.open(await system.enter(await system.create('corp')))
    if (setup === undefined) throw new Error('The link was refused.')

    const secret = await setup.addSecret()

    expect(setup.directory).toMatchObject({ providerId: 'corp', tenantUrl: `${issuer}/scim/v2/enterprise-idps/corp` })
    expect(Object.keys(setup.directory)).not.toContain('clientIds')
    expect(secret).toMatch(/^mmscim_corp_/)
    expect((await system.admin.identityProviders.read('corp')).secrets).toMatchObject([
      { expiresAt: system.clock.now() + 3600 },
      { expiresAt: undefined },
    ])
    expect(await actionsOf(system)).toEqual(
      expect.arrayContaining([
        ['provider.setup_link_created', 'operator', 'done'],
        ['provider.setup_link_used', 'setup-link:corp', 'done'],
        ['provider.secret_added', 'setup-link:corp', 'done'],
      ]),
    )
  })

  it('law: a link of one directory changes nothing of another, and reads nothing of it', async () => {
    const system = await withDirectories()
    const { secret: foreign } = await system.admin.identityProviders.register({ providerId: 'third' })
    const before = await system.admin.identityProviders.read('other')
    const [token, session] = [await system.create('corp'), await system.enter(await system.create('corp'))]
    const setup = await system.setupLinks.open(session)

    await setup?.addSecret()
    await setup?.revokePreviousSecrets()

    expect(await setup?.isSecret(foreign ?? '')).toBe(false)
    expect(await system.admin.identityProviders.read('other')).toEqual(before)
    // With the name of another directory, the secret opens nothing.
    expect(await system.enter(token.replace('_corp_', '_other_'))).toBe('refused')
    expect(await system.setupLinks.open(session.replace('corp_', 'other_'))).toBeUndefined()
  })

  it.each([
    ['has expired', async ({ clock }: Awaited<ReturnType<typeof withDirectories>>) => clock.advance(604_800)],
    ['was revoked', ({ admin }) => admin.identityProviders.revokeSetupLink('corp')],
    ['was replaced', async ({ create }) => void (await create('corp'))],
    ['belongs to a directory that was removed', ({ admin }) => admin.identityProviders.remove({ providerId: 'corp' })],
  ])('opens nothing if it %s, and neither does its cookie', async (_title, end) => {
    const system = await withDirectories()
    const token = await system.create('corp')
    const session = await system.enter(token)
    expect(await system.setupLinks.open(session)).toBeDefined()

    await end(system)

    const before = system.dump()
    expect(await system.setupLinks.exchange(token)).toBeUndefined()
    expect(await system.setupLinks.open(session)).toBeUndefined()
    expect(system.dump()).toBe(before)
  })

  it('is not in storage, nor is its cookie, and the cookie does not open the link', async () => {
    const system = await withDirectories()
    const token = await system.create('corp')
    const session = await system.enter(token)
    const [secret, cookie] = [token.slice('mmsetup_corp_'.length), session.slice('corp_'.length)]

    const log = JSON.stringify(await system.admin.audit.list({ limit: 100 }))
    expect(system.dump() + log).not.toContain(secret)
    expect(system.dump() + log).not.toContain(cookie)
    expect(await system.setupLinks.exchange(`mmsetup_corp_${cookie}`)).toBeUndefined()
  })

  it.each([0, -1, 1.5, 2_592_001, Number.NaN])('is refused with a lifetime of %d seconds', async (lifetime) => {
    const system = await withDirectories()
    await expectRefused(system, () => system.create('corp', lifetime), 'setup_link_invalid')
    await expectRefused(system, () => system.create('nobody'), 'provider_unknown')
  })
})
