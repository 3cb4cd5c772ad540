import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'

import { createFamilyWorld, type Answer, type FamilyWorld } from '../support/family-world.ts'
import { startServer } from '../support/server-under-test.ts'
import { createScheduler } from '../support/interleaving.ts'
import { refresh, storedFamilies, tokensFor, tokensOf } from '../support/token-calls.ts'

it('50 concurrent refreshes with one token return the same successor (RFC 9700 §4.14.2)', async () => {
  const site = await startServer()
  onTestFinished(() => site.close())
  const tokens = await tokensFor(site, 'A')

  const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(site, tokens.refresh_token)))

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(50)
  expect(new Set(replies.map((reply) => tokensOf(reply).refresh_token)).size).toBe(1)
  expect((storedFamilies(site) as { byId: unknown[] }).byId).toHaveLength(1)
})

/** A token family with every token that was issued in it. */
interface Family {
  readonly oldToken: string
  readonly currentToken: string
  readonly answers: readonly Answer[]
}

type Rival = (world: FamilyWorld, family: Family) => Promise<Answer>

it.each<readonly [string, Rival]>([
  ['a replay of the old token (RFC 9700 §4.14.2)', (world, { oldToken }) => world.refresh(oldToken)],
  ['a revocation of the current token (RFC 7009 §2.1)', (world, { currentToken }) => world.revoke(currentToken)],
  ['a revocation of the old token (RFC 7009 §2.1)', (world, { oldToken }) => world.revoke(oldToken)],
])('%s races with a refresh of the current token: no token is active afterwards', async (_, rival) => {
  const scheduler = createScheduler()
  const world = await createFamilyWorld({ scheduler: scheduler.waitForTurn })
  const turns = fc.oneof(
    fc.tuple(fc.nat(1), fc.nat(8)).map(([first, ahead]) => [first, ...Array.from({ length: ahead }, () => 1), 0]),
    fc.array(fc.nat(1), { minLength: 1, maxLength: 12, size: 'max' }),
  )

  await fc.assert(
    fc.asyncProperty(turns, async (picks) => {
      const family = await rotatedFamily(world)

      const raced = await scheduler.run([() => world.refresh(family.currentToken), () => rival(world, family)], picks)

      for (const { json } of [...family.answers, ...raced]) {
        if (json.access_token !== undefined) expect(await world.isActive(json.access_token)).toBe(false)
        if (json.refresh_token !== undefined) expect((await world.refresh(json.refresh_token)).status).toBe(400)
      }
    }),
    { numRuns: 100 },
  )

  expect.hasAssertions()
})

/** Creates a family whose first refresh token was rotated and whose retry window has ended. */
async function rotatedFamily(world: FamilyWorld): Promise<Family> {
  const first = await world.redeem(await world.code(await world.createUser()))
  const oldToken = first.json.refresh_token ?? ''
  const second = await world.refresh(oldToken)
  world.clock.advance(world.lifetimes.retryWindow)
  return { oldToken, currentToken: second.json.refresh_token ?? '', answers: [first, second] }
}
