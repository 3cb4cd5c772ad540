import { OAuthError } from '@mintmark/core'
import { clientId, userId, type EpochSeconds } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { createFamilyWorld, type Answer, type FamilyWorld } from '../support/family-world.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { createScheduler, type Scheduler } from '../support/interleaving.ts'

/**
 * The order in which waiting flows continue: a random order, or one flow runs for some turns before the others. The
 * flow that had the last turn is at the end of the queue.
 */
const picks = fc.oneof(
  fc.tuple(fc.nat(2), fc.nat(8)).map(([first, turns]) => [first, ...Array.from({ length: turns }, () => 2), 0]),
  fc.tuple(fc.nat(1), fc.nat(8)).map(([first, turns]) => [first, ...Array.from({ length: turns }, () => 1), 0]),
  fc.array(fc.nat(5), { minLength: 1, maxLength: 20, size: 'max' }),
)

/** Two or three flows that interleave at every storage call, and the invariant after all of them have finished. */
interface Race {
  readonly law: string
  readonly retryWindow?: number
  readonly run: (world: FamilyWorld, scheduler: Scheduler, picks: readonly number[]) => Promise<void>
}

/**
 * Asserts that the server accepts no access token of the responses, and none that their refresh tokens yield.
 */
async function expectNoActiveToken(world: FamilyWorld, answers: readonly Answer[]): Promise<void> {
  for (const { access_token: accessToken, refresh_token: refreshToken } of answers.map(({ json }) => json)) {
    if (accessToken !== undefined) expect(await world.isActive(accessToken)).toBe(false)
    if (refreshToken !== undefined) expect((await world.refresh(refreshToken)).status).toBeGreaterThanOrEqual(400)
  }
}

async function familyOf(
  world: FamilyWorld,
): Promise<{ readonly first: Answer; readonly refreshToken: string; readonly user: string }> {
  const user = await world.createUser()
  const first = await world.redeem(await world.code(user))
  return { first, user, refreshToken: first.json.refresh_token ?? '' }
}

const statuses = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

/** Ways to revoke a family without presenting its tokens. */
const revocations: readonly (readonly [
  name: string,
  revoke: (world: FamilyWorld, user: string) => Promise<unknown>,
])[] = [
  ['the user is deactivated', (world, user) => world.storage.users.deactivate(userId(user), world.clock.now())],
  [
    'the user is deactivated and reactivated',
    async (world, user) => {
      await world.storage.users.deactivate(userId(user), world.clock.now())
      await world.storage.users.reactivate(userId(user), world.clock.now())
    },
  ],
  ['the user is removed', (world, user) => world.storage.users.remove(userId(user), world.clock.now())],
  [
    'the grant is revoked',
    async (world, user) => {
      const grant = await world.storage.grants.findUnrevoked(userId(user), clientId('A'))
      if (grant !== undefined) await world.storage.grants.revoke(grant.grantId, world.clock.now())
    },
  ],
]

/** Turns the revocation into a flow, which takes turns like the server's storage calls. */
const inTurn = (scheduler: Scheduler, revoke: () => Promise<unknown>): Promise<Answer> =>
  scheduler
    .waitForTurn()
    .then(revoke)
    .then(() => ({ status: 0, json: {} }))

const races: readonly Race[] = [
  {
    law: 'three refreshes with one token give one new token, and the family stays active',
    async run(world, scheduler, picks) {
      const { refreshToken } = await familyOf(world)
      const refresh = () => world.refresh(refreshToken)

      const answers = await scheduler.run([refresh, refresh, refresh], picks)

      expect(statuses(answers)).toEqual([200, 200, 200])
      expect(new Set(answers.map(({ json }) => json.refresh_token)).size).toBe(1)
      expect((await world.refresh(answers[0]?.json.refresh_token ?? '')).status).toBe(200)
    },
  },
  {
    law: 'without a retry window, exactly one of two refreshes with one token succeeds, and no token stays active',
    retryWindow: 0,
    async run(world, scheduler, picks) {
      const { first, refreshToken } = await familyOf(world)
      const refresh = () => world.refresh(refreshToken)

      const answers = await scheduler.run([refresh, refresh], picks)

      expect(statuses(answers)).toEqual([200, 400])
      await expectNoActiveToken(world, [first, ...answers])
    },
  },
  ...revocations.map(([name, revoke]): Race => ({
    law: `no token is active after a refresh during which ${name}`,
    async run(world, scheduler, picks) {
      const { first, user, refreshToken } = await familyOf(world)

      const answers = await scheduler.run(
        [() => world.refresh(refreshToken), () => inTurn(scheduler, () => revoke(world, user))],
        picks,
      )

      await expectNoActiveToken(world, [first, ...answers])
    },
  })),
  {
    law: 'no token is active after a refresh during which the client is disabled',
    async run(world, scheduler, picks) {
      const { first, refreshToken } = await familyOf(world)
      const change = (disabledAt: EpochSeconds | undefined) =>
        changeClient(world.storage, clientId('A'), { disabledAt })

      const answers = await scheduler.run(
        [() => world.refresh(refreshToken), () => inTurn(scheduler, () => change(world.clock.now()))],
        picks,
      )

      await expectNoActiveToken(world, [first, ...answers])
      await change(undefined)
    },
  },
  {
    law: 'no token is active after a refresh during which the same token is revoked',
    async run(world, scheduler, picks) {
      const { first, refreshToken } = await familyOf(world)

      const answers = await scheduler.run([() => world.refresh(refreshToken), () => world.revoke(refreshToken)], picks)

      await expectNoActiveToken(world, [first, ...answers])
    },
  },
  {
    law: 'no token is active after a refresh of the current token during which an old one is replayed',
    async run(world, scheduler, picks) {
      const { first, refreshToken } = await familyOf(world)
      const second = await world.refresh(refreshToken)
      world.clock.advance(world.lifetimes.retryWindow)

      const answers = await scheduler.run(
        [() => world.refresh(second.json.refresh_token ?? ''), () => world.refresh(refreshToken)],
        picks,
      )

      await expectNoActiveToken(world, [first, second, ...answers])
    },
  },
  {
    law: 'three concurrent redemptions of a code give tokens at most once, and no token stays active',
    async run(world, scheduler, picks) {
      const code = await world.code(await world.createUser())
      const redeem = () => world.redeem(code)

      const answers = await scheduler.run([redeem, redeem, redeem], picks)

      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      expect(answers.filter(({ json }) => json.error === 'invalid_grant').length).toBeGreaterThanOrEqual(2)
      await expectNoActiveToken(world, answers)
    },
  },
  {
    law: 'when a code is replayed while its refresh token is used, no token stays active',
    async run(world, scheduler, picks) {
      const code = await world.code(await world.createUser())
      const first = await world.redeem(code)

      const answers = await scheduler.run(
        [() => world.redeem(code), () => world.refresh(first.json.refresh_token ?? '')],
        picks,
      )

      await expectNoActiveToken(world, [first, ...answers])
    },
  },
  ...revocations.map(([name, revoke]): Race => ({
    law: `after a redemption while ${name}, no token is active`,
    async run(world, scheduler, picks) {
      const user = await world.createUser()
      const code = await world.code(user)

      const answers = await scheduler.run(
        [() => world.redeem(code), () => inTurn(scheduler, () => revoke(world, user))],
        picks,
      )

      await expectNoActiveToken(world, answers)
    },
  })),
  ...revocations.slice(0, 3).map(([name, revoke]): Race => ({
    law: `a code that is requested while ${name} gives tokens only for an active user with a current grant`,
    async run(world, scheduler, picks) {
      const user = await world.createUser()
      let code = ''
      const requestCode = async (): Promise<Answer> => {
        code = await world.code(user).catch(codeOfDeactivatedUser)
        return { status: 0, json: {} }
      }

      await scheduler.run([requestCode, () => inTurn(scheduler, () => revoke(world, user))], picks)

      const record = await world.storage.users.find(userId(user))
      const grant = await world.storage.grants.findUnrevoked(userId(user), clientId('A'))
      // A reactivated user may have consented again; only then does the code work.
      const isGrantCurrent = record?.active === true && grant?.userGeneration === record.generation
      expect((await world.redeem(code)).status === 200).toBe(code !== '' && isGrantCurrent)
    },
  })),
  {
    law: 'of three concurrent presentations of one client assertion exactly one is accepted',
    async run(world, scheduler, picks) {
      const assertion = await world.assertion()
      const present = () => world.post('/token/introspection', { token: 'x', ...assertion }, {})

      const answers = await scheduler.run([present, present, present], picks)

      expect(statuses(answers)).toEqual([200, 401, 401])
    },
  },
]

/** Returns an empty code if the user is deactivated, because the server then issues none. */
function codeOfDeactivatedUser(error: unknown): string {
  if (error instanceof OAuthError && error.reason === 'user_inactive') return ''
  throw error
}

it.each(races)('law: $law', async ({ run, retryWindow }) => {
  const scheduler = createScheduler()
  const world = await createFamilyWorld({
    scheduler: scheduler.waitForTurn,
    ...(retryWindow !== undefined && { retryWindow }),
  })

  await fc.assert(
    fc.asyncProperty(picks, (turns) => run(world, scheduler, turns)),
    { numRuns: 40 },
  )

  expect.hasAssertions()
})
