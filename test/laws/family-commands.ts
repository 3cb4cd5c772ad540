import { clientId, userId } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect } from 'vitest'

import type { Answer, FamilyWorld } from '../support/family-world.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { currentGrant, isFamilyActive, presentationOf, type FamilyModel, type ModelFamily } from './family-model.ts'

type Command = fc.AsyncCommand<FamilyModel, FamilyWorld>

/** The user of all commands. */
const user = userId('U1')

/** Every action that affects token families. After each command the server must agree with the model. */
export const familyCommands = (): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    [
      fc.oneof(
        { weight: 2, arbitrary: fc.constant(signIn) },
        { weight: 6, arbitrary: fc.tuple(fc.nat(5), age).map(([family, age]) => present(family, age)) },
        { weight: 1, arbitrary: fc.nat(5).map(revokeFamily) },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.nat(5), fc.nat(5)).map(([family, token]) => revokeAccessToken(family, token)),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom(deactivate, reactivate, reactivate, disableClient, enableClient, enableClient),
        },
        { weight: 1, arbitrary: fc.constant(revokeGrant) },
        { weight: 4, arbitrary: fc.constantFrom(1, 4, 9, 10, 11, 40, 50, 99).map(advance) },
      ),
    ],
    { maxCommands: 40, size: 'max' },
  )

/** How many rotations ago the presented token was issued. */
const age = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.constant(1) }, fc.constant(2))

function command(
  name: string,
  isPossible: (model: FamilyModel) => boolean,
  run: (model: FamilyModel, world: FamilyWorld) => Promise<unknown>,
): Command {
  return {
    check: isPossible,
    async run(model, world) {
      await run(model, world)
      await expectAgreement(model, world)
    },
    toString: () => name,
  }
}

const always = (): boolean => true

/** The user signs in and consents if needed, and the client redeems the code. */
export const signIn = command(
  'sign in and redeem',
  (model) => model.isActive && !model.isClientDisabled,
  async (model, world) => {
    const reply = await world.redeem(await world.code(user))
    expect(reply.status).toBe(200)

    const grant = currentGrant(model) ?? { generation: model.generation, isRevoked: false }
    if (!model.grants.includes(grant)) model.grants.push(grant)
    const { refreshTokenIdle, refreshTokenAbsolute } = world.lifetimes
    const family: ModelFamily = {
      grant,
      isRevoked: false,
      refreshTokens: [],
      rotatedAt: undefined,
      retriedAt: undefined,
      idleUntil: model.now + refreshTokenIdle,
      absoluteUntil: model.now + refreshTokenAbsolute,
      accessTokens: [],
    }
    model.families.push(family)
    receive({ model, family, world }, reply)
  },
)

/** Presents the refresh token of `age` rotations ago: 0 rotates, 1 retries, more is reuse. */
const present = (index: number, age: number): Command =>
  command(
    `present family ${index}, age ${age}`,
    (model) => familyAt(model, index).refreshTokens.length > age,
    async (model, world) => {
      const family = familyAt(model, index)
      const expected = presentationOf(model, family, age, world.lifetimes.retryWindow)
      const current = family.refreshTokens.at(-1)
      const reply = await world.refresh(family.refreshTokens.at(-1 - age) ?? '')

      if (expected === 'client_refused') expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client'])
      if (expected === 'refused' || expected === 'reused')
        expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant'])
      if (expected === 'reused') family.isRevoked = true
      if (expected === 'retried') family.retriedAt = model.now
      if (expected === 'retried') expect([reply.status, reply.json.refresh_token]).toEqual([200, current])
      if (expected === 'rotated') {
        expect(reply.status).toBe(200)
        expect(family.refreshTokens).not.toContain(reply.json.refresh_token)
        family.rotatedAt = model.now
        family.retriedAt = undefined
        family.idleUntil = model.now + world.lifetimes.refreshTokenIdle
      }
      if (reply.status === 200) receive({ model, family, world }, reply)
    },
  )

const revokeFamily = (index: number): Command =>
  command(
    `revoke family ${index}`,
    (model) => model.families.length > 0,
    async (model, world) => {
      const family = familyAt(model, index)
      const reply = await world.revoke(family.refreshTokens.at(-1) ?? '')

      expect(reply.status).toBe(model.isClientDisabled ? 401 : 200)
      if (!model.isClientDisabled) family.isRevoked = true
    },
  )

const revokeAccessToken = (index: number, token: number): Command =>
  command(
    `revoke access token ${token} of family ${index}`,
    (model) => model.families.length > 0,
    async (model, world) => {
      const { accessTokens } = familyAt(model, index)
      const accessToken = accessTokens[token % accessTokens.length]
      if (accessToken === undefined) return
      const reply = await world.revoke(accessToken.token)

      expect(reply.status).toBe(model.isClientDisabled ? 401 : 200)
      if (!model.isClientDisabled) accessToken.isRevoked = true
    },
  )

const deactivate = command('deactivate the user', always, async (model, world) => {
  await world.storage.users.deactivate(user, world.clock.now())
  if (model.isActive) model.generation += 1
  model.isActive = false
})

const reactivate = command('reactivate the user', always, async (model, world) => {
  await world.storage.users.reactivate(user, world.clock.now())
  model.isActive = true
})

const disableClient = command('disable the client', always, async (model, world) => {
  await changeClient(world.storage, clientId('A'), { disabledAt: world.clock.now() })
  model.isClientDisabled = true
})

const enableClient = command('enable the client', always, async (model, world) => {
  await changeClient(world.storage, clientId('A'), { disabledAt: undefined })
  model.isClientDisabled = false
})

const revokeGrant = command('revoke the grant', always, async (model, world) => {
  const grant = await world.storage.grants.findUnrevoked(user, clientId('A'))
  if (grant !== undefined) await world.storage.grants.revoke(grant.grantId, world.clock.now())
  for (const modelGrant of model.grants) modelGrant.isRevoked = true
})

const advance = (seconds: number): Command =>
  command(`advance ${seconds} s`, always, (model, world) => {
    world.clock.advance(seconds)
    model.now += seconds
    return Promise.resolve()
  })

const familyAt = (model: FamilyModel, index: number): ModelFamily =>
  model.families[index % Math.max(1, model.families.length)] ?? { ...familyWithoutTokens }

/** The family that commands use before the first sign-in. */
const familyWithoutTokens: ModelFamily = {
  grant: { generation: -1, isRevoked: true },
  isRevoked: true,
  refreshTokens: [],
  rotatedAt: undefined,
  retriedAt: undefined,
  idleUntil: 0,
  absoluteUntil: 0,
  accessTokens: [],
}

function receive(
  at: { readonly model: FamilyModel; readonly family: ModelFamily; readonly world: FamilyWorld },
  { json }: Answer,
): void {
  const { model, family, world } = at
  const { access_token: token = '', refresh_token: refreshToken = '' } = json
  if (!family.refreshTokens.includes(refreshToken)) family.refreshTokens.push(refreshToken)
  family.accessTokens.push({ token, until: model.now + world.lifetimes.accessToken, isRevoked: false })
}

/**
 * The law itself: an access token is accepted exactly while the token, its family, grant, client and user are active.
 */
async function expectAgreement(model: FamilyModel, world: FamilyWorld): Promise<void> {
  for (const family of model.families) {
    for (const { token, until, isRevoked } of family.accessTokens.slice(-3)) {
      const isAccepted = isFamilyActive(model, family) && model.now < until && !isRevoked
      expect(await world.isActive(token)).toBe(isAccepted)
      expect((await world.userinfo(token)).status).toBe(isAccepted ? 200 : 401)
    }
  }
}
