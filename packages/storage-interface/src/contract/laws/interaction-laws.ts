import { userId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aDigest } from '../records/a-digest.ts'
import { aLogin, anInteractionRecord } from '../records/an-interaction.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Interactions: bound to one browser, completed once. */
export const interactionLaws: readonly StorageLaw[] = [
  law(
    'interactions: a handle is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).interactions.insert(anInteractionRecord({ resources: [`r-${index}`] })),
      )
      const written = await storage.interactions.find(digest, browserDigest, now)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      const stolen = anInteractionRecord({ browserDigest: aDigest('browser-2') })
      same(await storage.interactions.insert(stolen), { outcome: 'taken' }, "another browser's insertion after that")
      same(await storage.interactions.find(digest, browserDigest, now), written, 'the interaction after it')
    },
  ),

  law("interactions: another browser's is absent, and its attempts change nothing", async ({ storage, same }) => {
    await storage.interactions.insert(interaction)
    const other = aDigest('browser-2')

    same(await storage.interactions.find(digest, other, now), undefined, 'find')
    const login = await storage.interactions.recordLogin({
      digest,
      browserDigest: other,
      login: aLogin(),
      version: 1,
      now,
    })
    same(login, { outcome: 'absent' }, 'recordLogin')
    same(await storage.interactions.consume(digest, other, now), { outcome: 'absent' }, 'consume')
    same(await storage.interactions.find(digest, browserDigest, now), interaction, "the owner's reading after that")
    const won = await storage.interactions.consume(digest, browserDigest, now)
    same(won, { outcome: 'won', record: interaction }, "the owner's completion after that")
    same(await storage.interactions.consume(digest, other, now), { outcome: 'absent' }, 'consume, once it is completed')
  }),

  law('interactions: an interaction is absent from the second in which it expires', async ({ storage, same }) => {
    await storage.interactions.insert(interaction)
    const expired = interaction.expiresAt
    const change = { digest, browserDigest, login: aLogin(), version: 1 }

    same(await storage.interactions.find(digest, browserDigest, expired), undefined, 'find')
    same(await storage.interactions.recordLogin({ ...change, now: expired }), { outcome: 'absent' }, 'recordLogin')
    same(await storage.interactions.consume(digest, browserDigest, expired), { outcome: 'absent' }, 'consume')
    const lastSecond = nowPlus(3599)
    same(await storage.interactions.find(digest, browserDigest, lastSecond), interaction, 'find, one second before')
    same(
      (await storage.interactions.recordLogin({ ...change, now: lastSecond })).outcome,
      'swapped',
      'recordLogin then',
    )
    same((await storage.interactions.consume(digest, browserDigest, lastSecond)).outcome, 'won', 'consume then')
    same(await storage.interactions.consume(digest, browserDigest, expired), { outcome: 'absent' }, 'once completed')
  }),

  law('interactions: of writers who read one version one records the login', async ({ storage, server, same }) => {
    await storage.interactions.insert(interaction)
    const change = { digest, browserDigest, version: 1, now }

    const results = await atOnce(8, (index) =>
      server(index).interactions.recordLogin({ ...change, login: aLogin({ userId: userId(`user-${index}`) }) }),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await storage.interactions.find(digest, browserDigest, now)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner was given')
    same({ ...found, login: undefined }, { ...interaction, version: 2 }, 'all but the login')
    same(
      await storage.interactions.recordLogin({ ...change, login: aLogin() }),
      { outcome: 'conflict' },
      'a writer after them',
    )
    same(await storage.interactions.find(digest, browserDigest, now), found, 'the interaction after a conflict')
  }),

  law(
    'interactions: an interaction is completed once, and replayed with the same record after that',
    async ({ storage, same }) => {
      await storage.interactions.insert(interaction)
      const login = await storage.interactions.recordLogin({ digest, browserDigest, login: aLogin(), version: 1, now })
      const record = { ...interaction, login: aLogin(), version: 2 }

      same(login, { outcome: 'swapped', record }, 'the login')
      same(
        await storage.interactions.consume(digest, browserDigest, now),
        { outcome: 'won', record },
        'the first completion',
      )
      const again = await storage.interactions.consume(digest, browserDigest, nowPlus(9))
      same(again, { outcome: 'replayed', record }, 'the second')
    },
  ),

  law('interactions: of 16 completions at once exactly one wins', async ({ storage, server, same }) => {
    await storage.interactions.insert(interaction)

    const results = await atOnce(16, (index) => server(index).interactions.consume(digest, browserDigest, now))

    same(tally(results), { won: 1, replayed: 15 }, 'outcomes')
  }),

  law('interactions: a completed interaction is not found, and takes no login', async ({ storage, same }) => {
    await storage.interactions.insert(interaction)
    await storage.interactions.consume(digest, browserDigest, now)

    same(await storage.interactions.find(digest, browserDigest, now), undefined, 'find')
    const login = await storage.interactions.recordLogin({ digest, browserDigest, login: aLogin(), version: 1, now })
    same(login, { outcome: 'absent' }, 'recordLogin')
    same(await storage.interactions.insert(interaction), { outcome: 'taken' }, 'insert')
    const replayed = await storage.interactions.consume(digest, browserDigest, now)
    same(replayed, { outcome: 'replayed', record: interaction }, 'the record after the refused login')
  }),
]

const interaction = anInteractionRecord()
const { digest, browserDigest } = interaction
