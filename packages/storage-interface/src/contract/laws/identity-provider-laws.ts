import type { ScimStorage } from '../../storage.ts'
import { providerId } from '../../values.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { aDigest, now, nowPlus } from '../fixtures.ts'
import { aProviderRecord } from '../provisioning-fixtures.ts'

/** Identity providers: an identifier is never reused, so no provider gets the users of another. */
export const identityProviderLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'identity providers: an identifier is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).identityProviders.insert(aProviderRecord({ displayName: `Name ${index}` })),
      )
      const written = await storage.identityProviders.find(provider.providerId)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      const later = aProviderRecord({ displayName: 'later' })
      same(await storage.identityProviders.insert(later), { outcome: 'taken' }, 'an insertion after that')
      same(await storage.identityProviders.find(provider.providerId), written, 'the provider after it')
      same(await storage.identityProviders.find(unknown.providerId), undefined, 'a provider that never existed')
    },
  ),

  law(
    'identity providers: a removed provider is absent for every method, and its identifier stays taken',
    async ({ storage, server, same }) => {
      await storage.identityProviders.insert(provider)

      const removals = await atOnce(4, (index) => server(index).identityProviders.remove(provider.providerId, now))

      same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
      same(await storage.identityProviders.find(provider.providerId), undefined, 'the provider as read')
      same(
        await storage.identityProviders.insert(provider),
        { outcome: 'taken' },
        'an insertion of the same identifier',
      )
      await storage.identityProviders.touchSecret(provider.providerId, aDigest('provider-secret-1'), now)
      for (const version of [1, 2]) {
        const swap = await storage.identityProviders.compareAndSwap(provider, version)
        same(swap, { outcome: 'absent' }, `compareAndSwap with version ${version}`)
      }
      same(await storage.identityProviders.find(provider.providerId), undefined, 'the provider after that')
      same(await storage.identityProviders.list({ after: undefined, limit: 10 }), [], 'the list')
      same(
        await storage.identityProviders.remove(unknown.providerId, now),
        { outcome: 'absent' },
        'an unknown provider',
      )
    },
  ),

  law('identity providers: a disabled provider is found and listed with disabledAt', async ({ storage, same }) => {
    await storage.identityProviders.insert(provider)
    const disabled = aProviderRecord({ disabledAt: nowPlus(1), version: 2 })

    const result = await storage.identityProviders.compareAndSwap({ ...disabled, version: 1 }, 1)

    same(result, { outcome: 'swapped', record: disabled }, 'the outcome')
    same(await storage.identityProviders.find(provider.providerId), disabled, 'the provider as read')
    same(await storage.identityProviders.list({ after: undefined, limit: 10 }), [disabled], 'the list')
  }),

  law(
    'identity providers: those that have one issuer for their assertions are listed, also when disabled, and not when removed',
    async ({ storage, same }) => {
      const [first, second, other] = [
        signing('provider-1', 'https://one.example'),
        signing('provider-2', 'https://one.example', nowPlus(1)),
        signing('provider-3', 'https://two.example'),
      ]
      const removed = signing('provider-4', 'https://one.example')
      for (const each of [other, removed, second, first, aProviderRecord({ providerId: providerId('provider-5') })])
        await storage.identityProviders.insert(each)
      await storage.identityProviders.remove(removed.providerId, now)

      const of = (issuer: string, limit = 10) => storage.identityProviders.listByAssertionIssuer(issuer, limit)
      same(await of('https://one.example'), [first, second], 'the providers of an issuer')
      same(await of('https://one.example', 1), [first], 'with a limit')
      same(await of('https://ONE.example'), [], 'the providers of an issuer in capitals')
    },
  ),

  law(
    'identity providers: of concurrent writers that read the same version, one succeeds',
    async ({ storage, server, same }) => {
      await storage.identityProviders.insert(provider)

      const results = await atOnce(8, (index) =>
        server(index).identityProviders.compareAndSwap(aProviderRecord({ displayName: `Name ${index}` }), 1),
      )

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      const won = results.find((result) => result.outcome === 'swapped')
      const found = await storage.identityProviders.find(provider.providerId)
      same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
      same(found?.version, 2, 'the version')
      same(await storage.identityProviders.compareAndSwap(provider, 1), { outcome: 'conflict' }, 'a later writer')
      same(await storage.identityProviders.find(provider.providerId), found, 'the provider after a conflict')
      same(await storage.identityProviders.compareAndSwap(unknown, 1), { outcome: 'absent' }, 'an unknown provider')
      same(await storage.identityProviders.find(unknown.providerId), undefined, 'the unknown provider as read')
    },
  ),

  law(
    'identity providers: compareAndSwap compares the version that was read, not the version in the record',
    async ({ storage, same }) => {
      await storage.identityProviders.insert(provider)

      same(await storage.identityProviders.compareAndSwap(provider, 7), { outcome: 'conflict' }, 'a stale version')
      const result = await storage.identityProviders.compareAndSwap(aProviderRecord({ version: 7 }), 1)
      same(result, { outcome: 'swapped', record: aProviderRecord({ version: 2 }) }, 'the version that was read')
    },
  ),

  law('identity providers: recording the use of a secret changes nothing else', async ({ storage, same }) => {
    const used = { digest: aDigest('secret-1'), createdAt: now, expiresAt: nowPlus(90), lastUsedAt: undefined }
    const other = { digest: aDigest('secret-2'), createdAt: nowPlus(1), expiresAt: undefined, lastUsedAt: nowPlus(2) }
    const record = aProviderRecord({ secrets: [used, other] })
    await storage.identityProviders.insert(record)

    await storage.identityProviders.touchSecret(record.providerId, used.digest, nowPlus(7200))
    await storage.identityProviders.touchSecret(record.providerId, aDigest('secret-3'), nowPlus(7200))
    await storage.identityProviders.touchSecret(unknown.providerId, used.digest, nowPlus(7200))

    const found = await storage.identityProviders.find(record.providerId)
    const lastUsedAt = found?.secrets[0]?.lastUsedAt
    // The write may be lost, but it must not be wrong.
    same(lastUsedAt ?? nowPlus(7200), nowPlus(7200), 'when the secret was used')
    same(found, { ...record, secrets: [{ ...used, lastUsedAt }, other] }, 'all other members')
    same(
      (await storage.identityProviders.compareAndSwap(record, 1)).outcome,
      'swapped',
      'a writer who read before the use',
    )
  }),

  law(
    'identity providers: a list is in the order of identifiers, and can start after a given identifier',
    async ({ storage, same }) => {
      for (const id of ['b', 'a-2', 'B', 'c', '10', 'a']) {
        await storage.identityProviders.insert(aProviderRecord({ providerId: providerId(id) }))
      }
      const list = async (after: string | undefined, limit: number) => {
        const cursor = after === undefined ? undefined : providerId(after)
        return (await storage.identityProviders.list({ after: cursor, limit })).map(({ providerId: id }) => id)
      }

      same(await list(undefined, 10), ['10', 'B', 'a', 'a-2', 'b', 'c'], 'all')
      same(await list(undefined, 2), ['10', 'B'], 'the first two')
      same(await list('B', 3), ['a', 'a-2', 'b'], 'the next three')
      same(await list('a-1', 2), ['a-2', 'b'], 'after an identifier that does not exist')
      same(await list('c', 2), [], 'after the last')
    },
  ),
]

const provider = aProviderRecord()
const unknown = aProviderRecord({ providerId: providerId('unknown') })

const signing = (id: string, issuer: string, disabledAt = provider.disabledAt) =>
  aProviderRecord({
    providerId: providerId(id),
    disabledAt,
    assertions: {
      issuer,
      jwksUri: `${issuer}/keys`,
      jwks: undefined,
      revocationSubject: undefined,
      crossAppAccess: undefined,
    },
  })
