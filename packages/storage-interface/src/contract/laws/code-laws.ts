import { clientId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aCodeRecord } from '../records/a-code.ts'
import { aDigest } from '../records/a-digest.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Authorization codes (RFC 6749 §4.1.2, §10.5). */
export const codeLaws: readonly StorageLaw[] = [
  law('codes: a digest is inserted at most once, and the first record stays', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) => server(index).codes.insert(aCodeRecord({ nonce: `nonce-${index}` })))
    const found = await storage.codes.find(code.digest, code.clientId, now)
    const again = await storage.codes.insert(aCodeRecord({ nonce: 'later' }))

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions of one digest at once')
    same(again, { outcome: 'taken' }, 'an insertion after that')
    same(await storage.codes.find(code.digest, code.clientId, now), found, 'the record after a refused insertion')
    same(await storage.codes.find(aDigest('other'), code.clientId, now), undefined, 'a digest that nobody inserted')
  }),

  law('codes: a code is won once, and replayed with the same record after that', async ({ storage, same }) => {
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
  }),

  law('codes: of 16 presentations at once exactly one wins', async ({ storage, server, same }) => {
    await storage.codes.insert(code)

    const results = await atOnce(16, (index) => server(index).codes.consume(code.digest, code.clientId, now))

    same(tally(results), { won: 1, replayed: 15 }, 'outcomes')
  }),

  law('codes: reading a code does not use it up', async ({ storage, same }) => {
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

  law('codes: a code is absent from the second in which it expires', async ({ storage, same }) => {
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
