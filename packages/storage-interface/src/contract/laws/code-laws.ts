import { clientId, userId } from '../../values.ts'
import { aCodeRecord, aDigest, aLogin, anInteractionRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Authorization codes (RFC 6749 §4.1.2, §10.5). */
export const codeLaws: readonly StorageLaw[] = [
  law('codes: a digest is inserted at most once, and the first record stays', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) => server(index).codes.insert(aCodeRecord({ nonce: `nonce-${index}` })))
    const found = await storage.codes.find(code.digest, code.clientId, now)
    const again = await storage.codes.insert(aCodeRecord({ nonce: 'later' }))

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions of one digest at once')
    same(again, { outcome: 'taken' }, 'an insertion after that')
    same(await storage.codes.find(code.digest, code.clientId, now), found, 'the record after a refused insertion')
    same(await storage.codes.find(aDigest('other'), code.clientId, now), undefined, 'a digest that was not inserted')
  }),

  law(
    'codes: the first presentation of a code wins, and later ones are replays with the same record',
    async ({ storage, same }) => {
      await storage.codes.insert(code)

      same(
        await storage.codes.consume(code.digest, code.clientId, now),
        { outcome: 'won', record: code },
        'the first presentation',
      )
      for (const second of [1, 30, 59]) {
        const later = await storage.codes.consume(code.digest, code.clientId, nowPlus(second))
        same(later, { outcome: 'replayed', record: code }, `a presentation ${second} s later`)
      }
    },
  ),

  law('codes: of 16 concurrent presentations exactly one wins', async ({ storage, server, same }) => {
    await storage.codes.insert(code)

    const results = await atOnce(16, (index) => server(index).codes.consume(code.digest, code.clientId, now))

    same(tally(results), { won: 1, replayed: 15 }, 'outcomes')
  }),

  law('codes: reading a code does not consume it', async ({ storage, same }) => {
    await storage.codes.insert(code)

    same(await storage.codes.find(code.digest, code.clientId, now), code, 'the code as read')
    same(
      (await storage.codes.consume(code.digest, code.clientId, now)).outcome,
      'won',
      'the presentation after reading',
    )
    same(await storage.codes.find(code.digest, code.clientId, now), code, 'the consumed code as read')
  }),

  law('codes: a presentation by another client changes nothing', async ({ storage, same }) => {
    await storage.codes.insert(code)
    const thief = clientId('client-2')

    same(await storage.codes.consume(code.digest, thief, now), { outcome: 'absent' }, "another client's presentation")
    same(await storage.codes.find(code.digest, thief, now), undefined, "another client's reading")
    same(
      (await storage.codes.consume(code.digest, code.clientId, now)).outcome,
      'won',
      "the owner's presentation after that",
    )
    same(
      await storage.codes.consume(code.digest, thief, now),
      { outcome: 'absent' },
      'the other client, once it is consumed',
    )
  }),

  law('codes: a code is absent once its expiry time is reached', async ({ storage, same }) => {
    await storage.codes.insert(code)
    const expired = code.expiresAt
    const lastSecond = nowPlus(59)

    same(await storage.codes.find(code.digest, code.clientId, expired), undefined, 'reading at expiry')
    same(
      await storage.codes.consume(code.digest, code.clientId, expired),
      { outcome: 'absent' },
      'presenting at expiry',
    )
    same(await storage.codes.find(code.digest, code.clientId, lastSecond), code, 'reading one second before')
    same(
      (await storage.codes.consume(code.digest, code.clientId, lastSecond)).outcome,
      'won',
      'presenting one second before',
    )
    same(
      await storage.codes.consume(code.digest, code.clientId, expired),
      { outcome: 'absent' },
      'a consumed code at expiry',
    )
  }),
]

const code = aCodeRecord()

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

  law(
    "interactions: another browser's interaction is absent, and attempts on it change nothing",
    async ({ storage, same }) => {
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
      same(
        await storage.interactions.consume(digest, other, now),
        { outcome: 'absent' },
        'consume, once it is completed',
      )
    },
  ),

  law('interactions: an interaction is absent once its expiry time is reached', async ({ storage, same }) => {
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

  law(
    'interactions: of concurrent writers that read the same version, one records the login',
    async ({ storage, server, same }) => {
      await storage.interactions.insert(interaction)
      const change = { digest, browserDigest, version: 1, now }

      const results = await atOnce(8, (index) =>
        server(index).interactions.recordLogin({ ...change, login: aLogin({ userId: userId(`user-${index}`) }) }),
      )

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      const won = results.find((result) => result.outcome === 'swapped')
      const found = await storage.interactions.find(digest, browserDigest, now)
      same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
      same(
        typeof found === 'object' && { ...found, login: undefined },
        { ...interaction, version: 2 },
        'all but the login',
      )
      same(
        await storage.interactions.recordLogin({ ...change, login: aLogin() }),
        { outcome: 'conflict' },
        'a later writer',
      )
      same(await storage.interactions.find(digest, browserDigest, now), found, 'the interaction after a conflict')
    },
  ),

  law(
    'interactions: an interaction is completed once, and later attempts are replays with the same record',
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

  law('interactions: of 16 concurrent completions exactly one wins', async ({ storage, server, same }) => {
    await storage.interactions.insert(interaction)

    const results = await atOnce(16, (index) => server(index).interactions.consume(digest, browserDigest, now))

    same(tally(results), { won: 1, replayed: 15 }, 'outcomes')
  }),

  law('interactions: a completed interaction is found as consumed and accepts no login', async ({ storage, same }) => {
    await storage.interactions.insert(interaction)
    await storage.interactions.consume(digest, browserDigest, now)

    same(await storage.interactions.find(digest, browserDigest, now), 'consumed', 'find')
    const login = await storage.interactions.recordLogin({ digest, browserDigest, login: aLogin(), version: 1, now })
    same(login, { outcome: 'absent' }, 'recordLogin')
    same(await storage.interactions.insert(interaction), { outcome: 'taken' }, 'insert')
    const replayed = await storage.interactions.consume(digest, browserDigest, now)
    same(replayed, { outcome: 'replayed', record: interaction }, 'the record after the refused login')
  }),
]

const interaction = anInteractionRecord()
const { digest, browserDigest } = interaction
