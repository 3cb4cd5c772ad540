// One file, because memberships exist only in organizations, and removing an organization removes its memberships.
import { familyId, organizationId, providerId, userId, type UserId } from '../../values.ts'
import type { AdminStorage, CompleteOAuthStorage, OAuthStorage } from '../../storage.ts'
import { richJson, richText } from '../complete-records.ts'
import { aFamilyRecord, aUser, now, nowPlus } from '../fixtures.ts'
import type { TokenFamilyRecord } from '../../token-family.ts'
import { type StorageLaw, type Trial, atOnce, law, tally } from '../law.ts'
import { aMembership, anOrganization, aProviderRecord, aProvisionedUser } from '../provisioning-fixtures.ts'

/** Organizations: an identifier is never reused. */
export const organizationLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law(
    'organizations: an identifier is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).organizations.insert(anOrganization({ displayName: `Name ${index}` })),
      )
      const written = await storage.organizations.find(organization.organizationId)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      same(await storage.organizations.insert(organization), { outcome: 'taken' }, 'an insertion after that')
      same(await storage.organizations.find(organization.organizationId), written, 'the organization after it')
      same(await storage.organizations.find(unknown.organizationId), undefined, 'one that never existed')
    },
  ),

  law(
    'organizations: a removed organization and its memberships are absent, and its identifier stays taken',
    async ({ storage, server, same }) => {
      const { organizationId: id } = organization
      await storage.organizations.insert(organization)
      await storage.users.insert(aUser())
      await storage.organizations.insertMember(aMembership())

      const removals = await atOnce(4, (index) => server(index).organizations.remove(id, now))

      same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
      same(await storage.organizations.find(id), undefined, 'the organization as read')
      same(await storage.organizations.list({ after: undefined, limit: 10 }), [], 'the list')
      same(
        await storage.organizations.insert(organization),
        { outcome: 'taken' },
        'an insertion of the same identifier',
      )
      same(await storage.organizations.compareAndSwap(organization, 1), { outcome: 'absent' }, 'a swap')
      same(await storage.organizations.findMember(id, aUser().userId), undefined, 'the membership')
      same(await storage.organizations.listByUser(aUser().userId), [], 'the memberships of the user')
      const joining = await storage.organizations.insertMember(aMembership())
      same(joining, { outcome: 'absent', missing: 'organization' }, 'an insertion of a member')
      same(await storage.organizations.remove(unknown.organizationId, now), { outcome: 'absent' }, 'an unknown one')
    },
  ),

  law(
    'organizations: of concurrent writers that read the same version, one succeeds',
    async ({ storage, server, same }) => {
      await storage.organizations.insert(organization)

      const results = await atOnce(8, (index) =>
        server(index).organizations.compareAndSwap(anOrganization({ displayName: `Name ${index}`, version: 7 }), 1),
      )

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      const won = results.find((result) => result.outcome === 'swapped')
      const found = await storage.organizations.find(organization.organizationId)
      same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
      same(found?.version, 2, 'the version')
      same(await storage.organizations.compareAndSwap(organization, 1), { outcome: 'conflict' }, 'a later writer')
      same(await storage.organizations.compareAndSwap(unknown, 1), { outcome: 'absent' }, 'an unknown one')
    },
  ),

  law(
    'organizations: a list is in the order of identifiers, and can start after a given identifier',
    async ({ storage, same }) => {
      for (const id of ['b', 'a-2', 'B', 'c', 'a'])
        await storage.organizations.insert(anOrganization({ organizationId: organizationId(id) }))
      const list = async (after: string | undefined, limit: number) => {
        const cursor = after === undefined ? undefined : organizationId(after)
        return (await storage.organizations.list({ after: cursor, limit })).map(({ organizationId: id }) => id)
      }

      same(await list(undefined, 10), ['B', 'a', 'a-2', 'b', 'c'], 'all')
      same(await list('a', 2), ['a-2', 'b'], 'after an identifier')
      same(await list('c', 2), [], 'after the last')
    },
  ),

  law(
    "organizations: removing a member revokes the member's families for the organization, and no others",
    async ({ storage, server, same }) => {
      await storage.organizations.insert(organization)
      for (const user of [aUser(), aUser({ userId: userId('user-2') })]) {
        await storage.users.insert(user)
        await storage.organizations.insertMember(aMembership({ userId: user.userId }))
      }
      const { organizationId: id } = organization
      await storage.families.insert(familyFor('own', { organizationId: id }))
      await storage.families.insert(familyFor('without', {}))
      await storage.families.insert(familyFor('elsewhere', { organizationId: organizationId('other') }))
      await storage.families.insert(familyFor('colleague', { organizationId: id, userId: userId('user-2') }))

      const removals = await atOnce(3, (index) => server(index).organizations.removeMember(id, aUser().userId, now))
      const first = await revocationsIn(storage)
      await storage.organizations.remove(id, now)

      same(tally(removals), { removed: 1, absent: 2 }, '3 removals at once')
      same(first, ['own'], 'what they revoke')
      same(await revocationsIn(storage), ['own', 'colleague'], 'what the removal of the organization revokes')
    },
  ),

  law(
    'organizations: revoking the tokens of users revokes their families for the organization, and no others',
    async ({ storage, server, same }) => {
      const { organizationId: id } = organization
      const [first, second, third] = ['user-1', 'user-2', 'user-3'].map(userId) as [UserId, UserId, UserId]
      await storage.organizations.insert(organization)
      for (const user of [first, second, third]) {
        await storage.users.insert(aUser({ userId: user }))
        await storage.families.insert(familyFor(`of ${user}`, { organizationId: id, userId: user }))
      }
      await storage.families.insert(familyFor('without', { userId: first }))
      await storage.families.insert(familyFor('elsewhere', { organizationId: organizationId('other'), userId: second }))
      await storage.organizations.revokeTokens({ organizationId: id, userIds: [], now })
      same(await revocationsIn(storage), [], 'what a call without users revokes')
      const userIds = [second, first, userId('nobody')]
      await atOnce(3, (index) => server(index).organizations.revokeTokens({ organizationId: id, userIds, now }))

      same((await revocationsIn(storage)).toSorted(), ['of user-1', 'of user-2'], 'what 3 calls at once revoke')
    },
  ),

  law('round trip: organizations', async ({ storage, same }) => {
    const full = anOrganization({
      organizationId: organizationId(`o ${richText}`),
      displayName: richText,
      updatedAt: nowPlus(7),
      version: 3,
    })
    await storage.organizations.insert(full)

    same(await storage.organizations.find(full.organizationId), full, 'as inserted')
    const swapped = { ...full, displayName: JSON.stringify(richJson), createdAt: nowPlus(1), updatedAt: nowPlus(2) }
    const swap = await storage.organizations.compareAndSwap(swapped, 3)
    same(swap, { outcome: 'swapped', record: { ...swapped, version: 4 } }, 'as swapped')
    same(await storage.organizations.list({ after: undefined, limit: 1 }), [{ ...swapped, version: 4 }], 'as listed')
  }),
]

const organization = anOrganization()
const unknown = anOrganization({ organizationId: organizationId('unknown') })

/** Memberships: a user has at most one membership in an organization, and none after either was removed. */
export const membershipLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law('memberships: a user is a member of an organization at most once', async (trial) => {
    const { storage, server, same } = trial
    await fill(trial)

    const inserts = await atOnce(8, (index) =>
      server(index).organizations.insertMember(aMembership({ roles: [`role-${index}`] })),
    )
    const written = await find(trial)

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
    same(
      await storage.organizations.insertMember(aMembership({ roles: ['later'] })),
      { outcome: 'taken' },
      'an insertion after that',
    )
    same(await find(trial), written, 'the membership after it')
  }),

  law('memberships: a membership needs an organization and a user', async (trial) => {
    const { storage, same } = trial
    await fill(trial)
    const nowhere = aMembership({ organizationId: organizationId('unknown') })
    const nobody = aMembership({ userId: userId('unknown') })

    same(
      await storage.organizations.insertMember(nowhere),
      { outcome: 'absent', missing: 'organization' },
      'no organization',
    )
    same(await storage.organizations.insertMember(nobody), { outcome: 'absent', missing: 'user' }, 'no user')
    same(
      await storage.organizations.listMembers({ ...everybody, organizationId: nowhere.organizationId }),
      [],
      'its members',
    )
    same(await storage.organizations.listByUser(nobody.userId), [], 'its memberships')
    same(await storage.organizations.compareAndSwapMember(aMembership(), 1), { outcome: 'absent' }, 'a swap of none')
  }),

  law('memberships: a removed user has no memberships, and a deactivated user keeps them', async (trial) => {
    const { storage, same } = trial
    await fill(trial)
    await storage.organizations.insertMember(aMembership())
    await storage.users.deactivate(member.userId, now)
    same(await find(trial), member, 'of a deactivated user')

    await storage.users.remove(member.userId, now)

    same(await find(trial), undefined, 'as found')
    same(await storage.organizations.listMembers(everybody), [], 'the members')
    same(await storage.organizations.listByUser(member.userId), [], 'the memberships of the user')
    same(await storage.organizations.insertMember(member), { outcome: 'absent', missing: 'user' }, 'an insertion')
    same(await storage.organizations.compareAndSwapMember(member, 1), { outcome: 'absent' }, 'a swap')
    same(
      await storage.organizations.removeMember(member.organizationId, member.userId, now),
      { outcome: 'absent' },
      'a removal',
    )
  }),

  law('memberships: of concurrent writers that read the same version, one succeeds', async (trial) => {
    const { storage, server, same } = trial
    await fill(trial)
    await storage.organizations.insertMember(member)

    const results = await atOnce(8, (index) =>
      server(index).organizations.compareAndSwapMember(
        aMembership({ roles: [`role-${index}`], updatedAt: nowPlus(9), version: 7 }),
        1,
      ),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await find(trial)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
    same([found?.version, found?.updatedAt], [2, nowPlus(9)], 'version and time')
    same(await storage.organizations.compareAndSwapMember(member, 1), { outcome: 'conflict' }, 'a later writer')
  }),

  law('memberships: of 8 concurrent removals, one succeeds', async (trial) => {
    const { server, same } = trial
    await fill(trial)
    await trial.storage.organizations.insertMember(member)

    const results = await atOnce(8, (index) =>
      server(index).organizations.removeMember(member.organizationId, member.userId, now),
    )

    same(tally(results), { removed: 1, absent: 7 }, '8 removals at once')
    same(await find(trial), undefined, 'the membership')
    same((await trial.storage.organizations.insertMember(member)).outcome, 'inserted', 'an insertion after that')
  }),

  law(
    'memberships: the members of an organization, and the memberships of a user, are listed in order',
    async ({ storage, same }) => {
      const [users, organizations] = [['c', 'a', 'B'].map(userId), ['o2', 'o1'].map(organizationId)]
      for (const id of users) await storage.users.insert(aUser({ userId: id }))
      for (const id of organizations) await storage.organizations.insert(anOrganization({ organizationId: id }))
      const all = organizations.flatMap((organization) =>
        users.map((user) => aMembership({ organizationId: organization, userId: user, roles: ['b', 'a', 'b'] })),
      )
      for (const each of all) await storage.organizations.insertMember(each)
      const members = async (after: string | undefined, limit: number) =>
        (
          await storage.organizations.listMembers({
            organizationId: organizationId('o1'),
            after: after === undefined ? undefined : userId(after),
            limit,
          })
        ).map(({ userId: id }) => id)

      same(await members(undefined, 10), ['B', 'a', 'c'], 'all members')
      same(await members('B', 1), ['a'], 'after an identifier')
      same(await members('c', 9), [], 'after the last')
      const own = all.filter(({ userId: id }) => id === 'a').toReversed()
      same(await storage.organizations.listByUser(userId('a')), own, 'the memberships of one user')
    },
  ),
]

/** Memberships of the users of a directory. */
export const providerMembershipLaws: readonly StorageLaw<AdminStorage>[] = [
  law(
    'memberships: users of a provider are members of its organization until they are released',
    async ({ storage, server, same }) => {
      const joining = anOrganization({ organizationId: organizationId('customer') })
      const membershipsOf = async (id: UserId) =>
        (await storage.organizations.listByUser(id)).map(({ organizationId: of, roles }) => [of, roles])
      await storage.organizations.insert(joining)
      const provider = aProviderRecord({ organizationId: joining.organizationId })
      await storage.identityProviders.insert(provider)
      await storage.identityProviders.insert(aProviderRecord({ providerId: providerId('without') }))

      const { userId: created } = aProvisionedUser('created')
      await storage.provisionedUsers.insert(aProvisionedUser('created'))
      same(await membershipsOf(created), [[joining.organizationId, []]], 'of a user who was created')
      const other = aProvisionedUser('other', { providerId: providerId('without') })
      await storage.provisionedUsers.insert(other)
      same(await membershipsOf(other.userId), [], 'of a user of another provider')

      const { state } = aProvisionedUser('linked')
      const linked = aUser({ userId: userId('linked') })
      await storage.users.insert(linked)
      await storage.organizations.insertMember(
        aMembership({ organizationId: joining.organizationId, userId: linked.userId, roles: ['owner'] }),
      )
      const change = { providerId: provider.providerId, userId: linked.userId, version: 1, state, now: nowPlus(1) }
      const linkings = await atOnce(4, (index) => server(index).provisionedUsers.adopt(change))
      same(linkings.filter(({ outcome }) => outcome === 'swapped').length, 1, 'how many of 4 linked the user')
      same(await membershipsOf(linked.userId), [[joining.organizationId, ['owner']]], 'of one who was a member before')

      const own = organizationId('own')
      await storage.organizations.insert(anOrganization({ organizationId: own }))
      await storage.organizations.insertMember(aMembership({ organizationId: own, userId: linked.userId, roles: [] }))
      const release = { providerId: provider.providerId, userId: linked.userId, version: undefined, now: nowPlus(2) }
      await storage.provisionedUsers.release(release)
      same(await membershipsOf(linked.userId), [[own, []]], 'of one who was released')
      await storage.provisionedUsers.remove({ ...release, userId: created })
      same(
        await storage.organizations.listMembers({ ...everybody, organizationId: joining.organizationId }),
        [],
        'the members after both left',
      )

      await storage.organizations.remove(joining.organizationId, nowPlus(3))
      const late = aProvisionedUser('late')
      same((await storage.provisionedUsers.insert(late)).outcome, 'inserted', 'after the organization was removed')
      same(await membershipsOf(late.userId), [], 'of a user of a provider whose organization was removed')
    },
  ),
]

const member = aMembership()
const everybody = { organizationId: member.organizationId, after: undefined, limit: 100 }

const find = ({ storage }: Trial<CompleteOAuthStorage>) =>
  storage.organizations.findMember(member.organizationId, member.userId)

async function fill({ storage }: Trial<CompleteOAuthStorage>): Promise<void> {
  await storage.users.insert(aUser())
  await storage.organizations.insert(anOrganization())
}

const familyFor = (name: string, overrides: Partial<TokenFamilyRecord>): TokenFamilyRecord =>
  aFamilyRecord({ familyId: familyId(name), refresh: undefined, ...overrides })

/** Returns the families that were revoked, in order. */
async function revocationsIn({ revocations }: OAuthStorage): Promise<readonly string[]> {
  const { records } = await revocations.list({ from: undefined, revokedSince: nowPlus(-100_000), limit: 1000 })
  return records.flatMap(({ revocation }) => (revocation.kind === 'family' ? [revocation.familyId] : []))
}
