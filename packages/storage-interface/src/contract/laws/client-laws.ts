import { clientId } from '../../values.ts'
import { aClientRecord, aDigest, aFamilyRecord, aGrantRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Clients. */
export const clientLaws: readonly StorageLaw[] = [
  law(
    'clients: a client_id is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).clients.insert(aClientRecord({ clientName: `Name ${index}` })),
      )
      const written = await storage.clients.find(client.clientId)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      same(
        await storage.clients.insert(aClientRecord({ clientName: 'later' })),
        { outcome: 'taken' },
        'an insertion after that',
      )
      same(await storage.clients.find(client.clientId), written, 'the client after it')
      same(await storage.clients.find(clientId('unknown')), undefined, 'a client that never existed')
    },
  ),

  law('clients: a disabled client is found with disabledAt', async ({ storage, same }) => {
    await storage.clients.insert(client)
    const disabled = aClientRecord({ disabledAt: nowPlus(1), version: 2 })

    const result = await storage.clients.compareAndSwap({ ...disabled, version: 1 }, 1)

    same(result, { outcome: 'swapped', record: disabled }, 'the outcome')
    same(await storage.clients.find(client.clientId), disabled, 'the client as read')
  }),

  law('clients: of concurrent writers that read the same version, one succeeds', async ({ storage, server, same }) => {
    await storage.clients.insert(client)

    const results = await atOnce(8, (index) =>
      server(index).clients.compareAndSwap(aClientRecord({ clientName: `Name ${index}` }), 1),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await storage.clients.find(client.clientId)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
    same(found?.version, 2, 'the version')
    same(await storage.clients.compareAndSwap(client, 1), { outcome: 'conflict' }, 'a later writer')
    same(await storage.clients.find(client.clientId), found, 'the client after a conflict')
    const unknown = aClientRecord({ clientId: clientId('unknown') })
    same(await storage.clients.compareAndSwap(unknown, 1), { outcome: 'absent' }, 'an unknown client')
    same(await storage.clients.find(unknown.clientId), undefined, 'the unknown client as read')
  }),

  law(
    'clients: compareAndSwap compares the version that was read, not the version in the record',
    async ({ storage, same }) => {
      await storage.clients.insert(client)

      same(
        await storage.clients.compareAndSwap(aClientRecord({ version: 1 }), 7),
        { outcome: 'conflict' },
        'a stale version',
      )
      const result = await storage.clients.compareAndSwap(aClientRecord({ version: 7 }), 1)
      same(result, { outcome: 'swapped', record: aClientRecord({ version: 2 }) }, 'the version that was read')
    },
  ),

  law('clients: recording the use of a secret changes nothing else', async ({ storage, same }) => {
    const used = { digest: aDigest('secret-1'), createdAt: now, expiresAt: nowPlus(90), lastUsedAt: undefined }
    const other = { digest: aDigest('secret-2'), createdAt: nowPlus(1), expiresAt: undefined, lastUsedAt: nowPlus(2) }
    const record = aClientRecord({ secrets: [used, other] })
    await storage.clients.insert(record)

    await storage.clients.touchSecret(record.clientId, used.digest, nowPlus(7200))
    await storage.clients.touchSecret(record.clientId, aDigest('secret-3'), nowPlus(7200))
    await storage.clients.touchSecret(clientId('unknown'), used.digest, nowPlus(7200))

    const found = await storage.clients.find(record.clientId)
    const lastUsedAt = found?.secrets[0]?.lastUsedAt
    // The write may be lost, but it must not be wrong.
    same(lastUsedAt ?? nowPlus(7200), nowPlus(7200), 'when the secret was used')
    same(found, { ...record, secrets: [{ ...used, lastUsedAt }, other] }, 'all other members')
    same((await storage.clients.compareAndSwap(record, 1)).outcome, 'swapped', 'a writer who read before the use')
  }),
]

const client = aClientRecord()

/** Listing and removing clients: an identifier is never reused, so a client never gets the tokens of another. */
export const clientRemovalLaws: readonly StorageLaw[] = [
  law(
    'clients: a list is in the order of identifiers, and can start after a given identifier',
    async ({ storage, same }) => {
      for (const id of ['b', 'a-2', 'B', 'c', 'a'])
        await storage.clients.insert(aClientRecord({ clientId: clientId(id) }))
      const list = async (after: string | undefined, limit: number) =>
        (await storage.clients.list({ after: after === undefined ? undefined : clientId(after), limit })).map(
          ({ clientId: id }) => id,
        )

      same(await list(undefined, 10), ['B', 'a', 'a-2', 'b', 'c'], 'all')
      same(await list('a', 2), ['a-2', 'b'], 'after an identifier')
      same(await list('c', 2), [], 'after the last')
      same(
        await storage.clients.list({ after: undefined, limit: 1 }),
        [aClientRecord({ clientId: clientId('B') })],
        'a complete record',
      )
    },
  ),

  law(
    'clients: a removed client is absent for every method, and its identifier stays taken',
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

  law('clients: the status of a grant or token family omits a client that was removed', async ({ storage, same }) => {
    await storage.clients.insert(client)
    await storage.grants.insert(aGrantRecord())
    await storage.families.insert(aFamilyRecord())

    await storage.clients.remove(client.clientId, now)
    await storage.clients.insert(client)

    same((await storage.status.ofGrant(aGrantRecord().grantId))?.client, undefined, 'the client of a grant')
    same((await storage.status.ofFamily(aFamilyRecord().familyId))?.client, undefined, 'the client of a family')
  }),
]
