import { clientId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aClientRecord } from '../records/a-client.ts'
import { aDigest } from '../records/a-digest.ts'
import { aFamilyRecord } from '../records/a-family.ts'
import { aGrantRecord } from '../records/a-grant.ts'
import { now } from '../records/moments.ts'

/** Clients as their administrator lists and removes them: nobody ever inherits an identifier, and with it tokens, of another. */
export const clientRemovalLaws: readonly StorageLaw[] = [
  law('clients: a list is in the order of identifiers, and goes on behind one', async ({ storage, same }) => {
    for (const id of ['b', 'a-2', 'B', 'c', 'a'])
      await storage.clients.insert(aClientRecord({ clientId: clientId(id) }))
    const list = async (after: string | undefined, limit: number) =>
      (await storage.clients.list({ after: after === undefined ? undefined : clientId(after), limit })).map(
        ({ clientId: id }) => id,
      )

    same(await list(undefined, 10), ['B', 'a', 'a-2', 'b', 'c'], 'all')
    same(await list('a', 2), ['a-2', 'b'], 'behind one')
    same(await list('c', 2), [], 'behind the last')
    same(
      await storage.clients.list({ after: undefined, limit: 1 }),
      [aClientRecord({ clientId: clientId('B') })],
      'a record, whole',
    )
  }),

  law(
    'clients: a removed one is gone for every method, and its identifier stays taken',
    async ({ storage, server, same }) => {
      await storage.clients.insert(client)

      const removals = await atOnce(4, (index) => server(index).clients.remove(client.clientId, now))

      same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
      same(await storage.clients.find(client.clientId), undefined, 'the client as read')
      same(await storage.clients.list({ after: undefined, limit: 10 }), [], 'the list')
      same(await storage.clients.insert(client), { outcome: 'taken' }, 'an insertion of the same identifier')
      await storage.clients.touchSecret(client.clientId, aDigest('client-secret-1'), now)
      for (const version of [1, 2])
        same(
          await storage.clients.compareAndSwap(client, version),
          { outcome: 'absent' },
          `a swap of version ${version}`,
        )
      same(await storage.clients.find(client.clientId), undefined, 'the client after that')
      same(await storage.clients.remove(clientId('unknown'), now), { outcome: 'absent' }, 'an unknown client')
    },
  ),

  law('clients: what was issued to a removed one stands on no client', async ({ storage, same }) => {
    await storage.clients.insert(client)
    await storage.grants.insert(aGrantRecord())
    await storage.families.insert(aFamilyRecord())

    await storage.clients.remove(client.clientId, now)
    await storage.clients.insert(client)

    same((await storage.status.ofGrant(aGrantRecord().grantId))?.client, undefined, 'the client of a grant')
    same((await storage.status.ofFamily(aFamilyRecord().familyId))?.client, undefined, 'the client of a family')
  }),
]

const client = aClientRecord()
