import type { AdminStorage } from '../../storage.ts'
import { organizationId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aUser } from '../records/a-user.ts'
import { aMembership, anOrganization } from '../records/an-organization.ts'
import { now, nowPlus } from '../records/moments.ts'
import { richJson, richText } from '../records/rich-values.ts'

/** Organizations: an identifier is one organization's for ever. */
export const organizationLaws: readonly StorageLaw<AdminStorage>[] = [
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
      same(await storage.organizations.find(unknown.organizationId), undefined, 'one that was never there')
    },
  ),

  law(
    'organizations: a removed one is gone with its memberships, and its identifier stays taken',
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
      same(await storage.organizations.listByUser(aUser().userId), [], 'the memberships of the account')
      const joining = await storage.organizations.insertMember(aMembership())
      same(joining, { outcome: 'absent', missing: 'organization' }, 'somebody who joins')
      same(await storage.organizations.remove(unknown.organizationId, now), { outcome: 'absent' }, 'an unknown one')
    },
  ),

  law('organizations: of writers who read one version one is swapped', async ({ storage, server, same }) => {
    await storage.organizations.insert(organization)

    const results = await atOnce(8, (index) =>
      server(index).organizations.compareAndSwap(anOrganization({ displayName: `Name ${index}`, version: 7 }), 1),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await storage.organizations.find(organization.organizationId)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner was given')
    same(found?.version, 2, 'the version')
    same(await storage.organizations.compareAndSwap(organization, 1), { outcome: 'conflict' }, 'a writer after them')
    same(await storage.organizations.compareAndSwap(unknown, 1), { outcome: 'absent' }, 'an unknown one')
  }),

  law('organizations: a list is in the order of identifiers, and goes on behind one', async ({ storage, same }) => {
    for (const id of ['b', 'a-2', 'B', 'c', 'a'])
      await storage.organizations.insert(anOrganization({ organizationId: organizationId(id) }))
    const list = async (after: string | undefined, limit: number) => {
      const behind = after === undefined ? undefined : organizationId(after)
      return (await storage.organizations.list({ after: behind, limit })).map(({ organizationId: id }) => id)
    }

    same(await list(undefined, 10), ['B', 'a', 'a-2', 'b', 'c'], 'all')
    same(await list('a', 2), ['a-2', 'b'], 'behind one')
    same(await list('c', 2), [], 'behind the last')
  }),

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
