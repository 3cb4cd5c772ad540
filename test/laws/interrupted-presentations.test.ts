import { StorageUnavailableError } from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { engines } from '../../packages/storage-sql/test/support/migrated-dialects.ts'
import { createFamilyWorld } from '../support/family-world.ts'
import { createScheduler } from '../support/interleaving.ts'
import { rounds } from '../support/rounds.ts'

/** How a statement fails, and what the caller learns. */
const failures = [
  /** A database that cannot be reached: the server knows that nothing was written. */
  'is not sent',
  /** A connection that breaks at COMMIT: whether something was written is unknown. */
  'is written, and its answer is lost',
  /** A node of Galera that loses its majority at COMMIT may report a conflict for what the others keep; the dialect repeats it. */
  'is written, reported as a conflict and repeated',
] as const

interface Fault {
  /** Which statement of the two presentations fails. */
  readonly at: number
  readonly how: (typeof failures)[number]
}

/** Two presentations send about a dozen statements. */
const faults = fc.array(fc.record({ at: fc.nat(14), how: fc.constantFrom(...failures) }), {
  minLength: 1,
  maxLength: 3,
})
const picks = fc.array(fc.nat(1), { minLength: 1, maxLength: 14, size: 'max' })

test.for(engines.map((engine, index) => ({ ...engine, runs: index === 0 ? 150 : 20 })))(
  'law: on $name, if a presentation of a code succeeds and another one is refused, the tokens are revoked, whichever statements fail (RFC 6749 §4.1.2)',
  async ({ open, runs }) => {
    const dialect = await open()
    const scheduler = createScheduler()
    const plan: { faults: readonly Fault[]; sent: number } = { faults: [], sent: 0 }
    const world = await createFamilyWorld({
      open: async (issuer) => ({
        own: await createSqlStorage({ dialect, issuer }),
        ofServer: await createSqlStorage({ dialect: failing(dialect, scheduler.waitForTurn, plan), issuer }),
      }),
    })
    const outcomes = new Map<string, number>()

    await fc.assert(
      fc.asyncProperty(faults, picks, async (chosen, order) => {
        const code = await world.code(await world.createUser())
        Object.assign(plan, { faults: chosen, sent: 0 })
        const answers = await scheduler.run([() => world.redeem(code), () => world.redeem(code)], order)
        Object.assign(plan, { faults: [] })

        const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
        const outcome = statuses.join(', ')
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        expect(outcome).not.toBe('200, 200')
        for (const { json } of answers.filter(({ status }) => status === 200 && statuses.includes(400))) {
          expect(await world.isActive(json.access_token ?? '')).toBe(false)
          expect((await world.refresh(json.refresh_token ?? '')).status).toBe(400)
        }
      }),
      // Without a fault, one presentation succeeds and the other is refused.
      { numRuns: runs * rounds({ fast: 1, long: 10 }), examples: [[[], [0, 1]]] },
    )
    expect(outcomes.get('200, 400')).toBeGreaterThan(0)
  },
)

/** A dialect whose statements wait for their turn, and of which those that the plan names fail. */
function failing(
  dialect: SqlDialect,
  waitForTurn: () => Promise<void>,
  plan: { readonly faults: readonly Fault[]; sent: number },
): SqlDialect {
  const run = async <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
    await waitForTurn()
    const how = plan.faults.find(({ at }) => at === plan.sent)?.how
    plan.sent += 1
    if (how === 'is not sent') throw new StorageUnavailableError('The database cannot be reached.')
    const answer = await send()
    if (how === 'is written, and its answer is lost') throw new StorageUnavailableError('The connection was lost.')
    return how === undefined ? answer : send()
  }
  return {
    ...dialect,
    all: (...call) => run(() => dialect.all(...call)),
    transact: (...call) => run(() => dialect.transact(...call)),
  }
}
