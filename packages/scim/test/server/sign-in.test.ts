import { providerId, userId, type ProvisionedUserRecord, type ScimStorage } from '@mintmark/storage-interface'
import type { ProviderSignIn } from '../../src/sign-in/sign-in-from-provider.ts'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ProviderError, ScimError, type ScimServerOptions, type ToleranceProfile } from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import type { ProviderLogin } from '../../src/sign-in/sign-in-from-provider.ts'
import { idOf, issuer, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

interface Provider extends ScimUnderTest {
  signIn(login?: Partial<ProviderLogin>): ReturnType<ScimUnderTest['server']['signInFromProvider']>
  /** Returns everything in storage as a string. */
  dump(): string
}

const profile = {
  userName: 'kim@x.test',
  displayName: 'Kim',
  name: { givenName: 'Kim', familyName: 'Lee' },
  emails: [{ value: 'kim@x.test' }],
}
const aUser = { schemas: [userSchema.id], userName: 'kim@x.test', externalId: 'k1' }

async function startProvider(
  options: Partial<ScimServerOptions> & { readonly toleranceProfile?: ToleranceProfile } = {},
): Promise<Provider> {
  const database = createMemoryDatabase()
  const scim = await startScim({ storage: createMemoryStorage({ issuer, database }), ...options })
  return {
    ...scim,
    signIn: (login = {}) => scim.server.signInFromProvider({ providerId: 'T1', externalId: 'k1', profile, ...login }),
    dump: () =>
      JSON.stringify(database.tablesOf(issuer), (_key, value: unknown) => (value instanceof Map ? [...value] : value)),
  }
}

const provision = (scim: ScimUnderTest, body: object = aUser) => scim.send({ method: 'POST', path: '/Users', body })

const patch = (scim: ScimUnderTest, id: string, value: object) =>
  scim.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', value }] },
  })

const resourceOf = (account: ProvisionedUserRecord | undefined): unknown => account && JSON.parse(account.resource)

const find = (storage: ScimStorage, externalId = 'k1') =>
  storage.provisionedUsers.findByExternalId(providerId('T1'), externalId)

/** Expects that a login is refused with the error and writes nothing. */
async function expectRefusal(scim: Provider, login: Partial<ProviderLogin>, error: object): Promise<void> {
  const before = scim.dump()

  await expect(scim.signIn(login)).rejects.toMatchObject(error)

  expect(scim.dump()).toBe(before)
}

describe('the first login creates a user', () => {
  test('with the attributes of the profile, as SCIM and as claims', async () => {
    const scim = await startProvider({ emailVerified: (email) => email.endsWith('@x.test') })

    const signedIn = await scim.signIn()

    expect(signedIn).toMatchObject({ outcome: 'signed_in', isNew: true })
    const account = await find(scim.storage)
    expect(account).toMatchObject({ userId: (signedIn as { userId: string }).userId, active: true, adopted: false })
    expect(resourceOf(account)).toEqual({ schemas: [userSchema.id], ...profile })
    expect(account?.claims).toMatchObject({ name: 'Kim', given_name: 'Kim', email: 'kim@x.test', email_verified: true })
    expect(scim.events).toMatchObject([{ type: 'user.created', providerId: 'T1', userId: account?.userId }])
  })

  test('that the provider then finds and provisions', async () => {
    const scim = await startProvider()
    await scim.signIn()
    const account = await find(scim.storage)

    const found = await scim.send({ path: `/Users?filter=${encodeURIComponent('externalId eq "k1"')}` })
    const provisioned = await provision(scim)

    expect(found).toMatchObject({ body: { totalResults: 1, Resources: [{ id: account?.userId, externalId: 'k1' }] } })
    expect(idOf(provisioned)).toBe(account?.userId)
  })

  test('separately for each provider', async () => {
    const scim = await startProvider()

    const one = await scim.signIn()
    const other = await scim.signIn({ providerId: 'T2' })

    expect([one, other]).toMatchObject([{ isNew: true }, { isNew: true }])
    expect((one as { userId: string }).userId).not.toBe((other as { userId: string }).userId)
  })

  test('never with an externalId, a password or active false from the profile', async () => {
    const passwords: string[] = []
    const scim = await startProvider({ password: async ({ password }) => void passwords.push(password) })

    const signedIn = await scim.signIn({ profile: { ...profile, active: false, password: 'p', externalId: 'other' } })

    expect(signedIn).toMatchObject({ outcome: 'signed_in', isNew: true })
    expect(await find(scim.storage, 'other')).toBeUndefined()
    expect(await find(scim.storage)).toMatchObject({ active: true })
    expect(passwords).toEqual([])
    expect(scim.dump()).not.toContain('"p"')
  })
})

describe('a login finds a provisioned user', () => {
  test('by provider and externalId, and adds the attributes of the profile', async () => {
    const scim = await startProvider()
    const id = idOf(await provision(scim, { ...aUser, title: 'Doctor', name: { givenName: 'K', middleName: 'Q' } }))

    const signedIn = await scim.signIn({ profile: { displayName: 'Kim', name: { givenName: 'Kim' } } })

    expect(signedIn).toEqual({ outcome: 'signed_in', userId: id, isNew: false })
    const account = await find(scim.storage)
    expect(account).toMatchObject({ version: 2, claims: { name: 'Kim', given_name: 'Kim', middle_name: 'Q' } })
    const name = { givenName: 'Kim', middleName: 'Q' }
    expect(resourceOf(account)).toMatchObject({ userName: 'kim@x.test', title: 'Doctor', displayName: 'Kim', name })
    expect(scim.events.at(-1)).toMatchObject({ type: 'user.changed', userId: id })
  })

  test('and writes nothing when the profile is unchanged', async () => {
    const scim = await startProvider()
    await scim.signIn()
    const before = scim.dump()
    scim.clock.advance(60)

    expect(await scim.signIn()).toMatchObject({ outcome: 'signed_in', isNew: false })
    expect(await scim.signIn({ profile: {} })).toMatchObject({ outcome: 'signed_in', isNew: false })
    expect(
      await scim.signIn({ profile: { title: undefined as never, name: { familyName: undefined as never } } }),
    ).toMatchObject({ outcome: 'signed_in' })

    expect(scim.dump()).toBe(before)
  })

  test('only by externalId, not by userName or e-mail address, and a userName that is taken is refused', async () => {
    const scim = await startProvider()
    await provision(scim, { ...aUser, emails: profile.emails })

    await expectRefusal(
      scim,
      { externalId: 'another' },
      { status: 409, scimType: 'uniqueness', reason: 'user_name_taken' },
    )
    const other = await scim.signIn({ externalId: 'another', profile: { ...profile, userName: 'kim2@x.test' } })

    expect(other).toMatchObject({ outcome: 'signed_in', isNew: true })
    expect((other as { userId: string }).userId).not.toBe((await find(scim.storage))?.userId)
  })

  test('by a case-sensitive externalId', async () => {
    const scim = await startProvider()
    await provision(scim)

    expect(await scim.signIn({ externalId: 'K1', profile: { userName: 'other' } })).toMatchObject({
      outcome: 'signed_in',
      isNew: true,
    })
  })

  test('and never changes the provider or active', async () => {
    const scim = await startProvider()
    const id = idOf(await provision(scim))

    await scim.signIn({ profile: { title: 'x', active: false, externalId: 'k2', [`${userSchema.id}:active`]: false } })

    expect(await find(scim.storage)).toMatchObject({ userId: id, active: true, generation: 0 })
  })

  test('and leaves a protected user unchanged', async () => {
    const scim = await startProvider({ mayChange: async () => false })
    const id = idOf(await provision(scim))
    const before = scim.dump()

    expect(await scim.signIn()).toEqual({ outcome: 'signed_in', userId: id, isNew: false })
    expect(scim.dump()).toBe(before)
  })
})

describe('a deactivated user', () => {
  test('cannot sign in, and no login reactivates it', async () => {
    const scim = await startProvider()
    const id = idOf(await provision(scim))
    await patch(scim, id, { active: false })
    const before = scim.dump()

    const refused = await scim.signIn({ profile: { ...profile, active: true } })

    expect(refused).toEqual({ outcome: 'deactivated', userId: id })
    expect(scim.dump()).toBe(before)
  })

  test('can sign in again after the provider reactivates it', async () => {
    const scim = await startProvider()
    const id = idOf(await provision(scim))
    await patch(scim, id, { active: false })
    await patch(scim, id, { active: true })

    expect(await scim.signIn()).toMatchObject({ outcome: 'signed_in', userId: id })
  })
})

describe('a user who existed before the provider', () => {
  const startAdopting = async (active: boolean, hooks: Partial<ScimServerOptions> = {}) => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer, database })
    const id = userId('u-local')
    const scim = await startProvider({
      ...hooks,
      storage,
      link: async ({ externalId, resource }) =>
        externalId === 'k1' && resource['userName'] === 'kim@x.test' ? id : undefined,
    })
    await storage.users.insert({
      userId: id,
      claims: { email: 'old@x.test', note: 'kept' },
      createdAt: scim.clock.now(),
    })
    if (!active) await storage.users.deactivate(id, scim.clock.now())
    return { scim, id }
  }

  test('is linked when the host chooses it, and keeps claims that are not derived from SCIM', async () => {
    const { scim, id } = await startAdopting(true)

    const signedIn = await scim.signIn()

    expect(signedIn).toEqual({ outcome: 'signed_in', userId: id, isNew: true })
    expect(await find(scim.storage)).toMatchObject({
      userId: id,
      adopted: true,
      claims: { note: 'kept', email: 'kim@x.test' },
    })
    expect(scim.events).toMatchObject([{ type: 'user.linked', userId: id }])
    expect(await scim.signIn()).toEqual({ outcome: 'signed_in', userId: id, isNew: false })
  })

  test('is not linked or changed when the host protects it', async () => {
    const { scim } = await startAdopting(true, { mayChange: async () => false })

    await expectRefusal(scim, {}, { status: 403, reason: 'change_refused' })
  })

  test('stays deactivated', async () => {
    const { scim, id } = await startAdopting(false)

    expect(await scim.signIn()).toEqual({ outcome: 'deactivated', userId: id })
    expect(await find(scim.storage)).toMatchObject({ userId: id, active: false })
  })
})

describe('concurrent requests', () => {
  /** Starts a server whose storage yields to the scheduler before every step while `race` runs. */
  async function startInterleaved(scheduler: fc.Scheduler, options: Partial<ScimServerOptions> = {}) {
    const gate = { open: false }
    const pause = () => (gate.open ? scheduler.schedule(Promise.resolve()) : Promise.resolve())
    const scim = await startProvider({ storage: createMemoryStorage({ issuer, scheduler: pause }), ...options })
    return {
      scim,
      race: async <T extends readonly unknown[]>(
        start: () => { readonly [K in keyof T]: Promise<T[K]> },
      ): Promise<T> => {
        gate.open = true
        const all = (await scheduler.waitFor(Promise.all(start()))) as unknown as T
        gate.open = false
        return all
      },
    }
  }

  test('law: logins and POSTs with the same externalId create one user', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, crowd) => {
        const { scim, race } = await startInterleaved(scheduler)

        const all = await race(() =>
          Array.from({ length: crowd }, () => [
            scim.signIn(),
            provision(scim).then((reply) => ({ userId: idOf(reply) })),
          ]).flat(),
        )

        expect(new Set(all.map((one) => ('userId' in one ? one.userId : one.outcome))).size).toBe(1)
        expect(scim.events.filter(({ type }) => type === 'user.created')).toHaveLength(1)
      }),
      { numRuns: 60 },
    )
  })

  test('law: logins and POSTs link the user that the host chooses, once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const id = userId('u-local')
        const { scim, race } = await startInterleaved(scheduler, { link: async () => id })
        await scim.storage.users.insert({ userId: id, claims: {}, createdAt: scim.clock.now() })

        const [signedIn, created] = await race<readonly [ProviderSignIn, ScimReply]>(() => [
          scim.signIn(),
          provision(scim),
        ])

        expect(signedIn).toMatchObject({ outcome: 'signed_in', userId: id })
        expect(created).toMatchObject({ status: 201, body: { id } })
        expect(scim.events.filter(({ type }) => type === 'user.linked')).toHaveLength(1)
      }),
      { numRuns: 60 },
    )
  })

  test('law: a deactivation during a login persists, and the login writes nothing after it', async () => {
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { scim, race } = await startInterleaved(scheduler)
        const id = idOf(await provision(scim))

        const [signedIn] = await race<readonly [ProviderSignIn, unknown]>(() => [
          scim.signIn({ profile: { title: 'x' } }),
          patch(scim, id, { active: false }),
        ])

        const account = await find(scim.storage)
        outcomes.add(signedIn.outcome)
        expect(account).toMatchObject({
          active: false,
          generation: 1,
          version: signedIn.outcome === 'signed_in' ? 3 : 2,
        })
      }),
      { numRuns: 60 },
    )
    expect([...outcomes].toSorted()).toEqual(['deactivated', 'signed_in'])
  })
})

describe('a login', () => {
  test('is refused for an unknown provider', async () => {
    const scim = await startProvider()

    await expectRefusal(scim, { providerId: 'T9' }, { reason: 'provider_unknown' })
    await expect(scim.signIn({ providerId: 'T9' })).rejects.toBeInstanceOf(ProviderError)
  })

  test('is refused for a disabled provider', async () => {
    const scim = await startProvider()
    await provision(scim)
    const provider = await scim.storage.identityProviders.find(providerId('T1'))
    if (provider === undefined) throw new TypeError('The provider T1 does not exist.')
    await scim.storage.identityProviders.compareAndSwap({ ...provider, disabledAt: scim.clock.now() }, provider.version)
    const before = scim.dump()

    expect(await scim.signIn()).toEqual({ outcome: 'provider_disabled' })
    expect(scim.dump()).toBe(before)
  })

  test.each<[string, Partial<ProviderLogin>, object]>([
    ['an empty externalId', { externalId: '' }, { status: 400, reason: 'value_required', attribute: 'externalId' }],
    ['a blank externalId', { externalId: '  ' }, { status: 400, reason: 'value_required' }],
    ['an externalId with U+0000', { externalId: 'a\0b' }, { status: 400, reason: 'value_characters' }],
    ['an externalId of 1,025 characters', { externalId: 'a'.repeat(1025) }, { status: 400, reason: 'value_too_long' }],
    [
      'a new user without userName',
      { profile: { displayName: 'Kim' } },
      { status: 400, reason: 'value_required', attribute: 'userName' },
    ],
    [
      'a profile with a value of the wrong type',
      { profile: { ...profile, displayName: true } },
      { status: 400, reason: 'value_type' },
    ],
    [
      'a profile with a control character',
      { profile: { ...profile, displayName: 'a\u0007' } },
      { status: 400, reason: 'value_characters' },
    ],
    [
      'a profile with an id',
      { profile: { ...profile, id: 'u1' } },
      { status: 400, scimType: 'mutability', reason: 'attribute_read_only' },
    ],
    ['a profile that is a list', { profile: [] as never }, { status: 400, reason: 'value_type' }],
    [
      'a profile of depth 50',
      { profile: JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`) as never },
      { status: 400, reason: 'body_too_deep' },
    ],
  ])('is refused with %s', async (_, login, error) => {
    const scim = await startProvider()

    await expectRefusal(scim, login, error)
    await expect(scim.signIn(login)).rejects.toBeInstanceOf(ScimError)
  })

  test('is accepted with the same tolerances as requests of the provider', async () => {
    const strict = await startProvider({ toleranceProfile: 'strict' })
    const entra = await startProvider({ toleranceProfile: 'entra' })
    const login = { profile: { ...profile, groups: [], favouriteColour: 'blue', title: '' } }

    await expectRefusal(strict, login, { status: 400, reason: 'attribute_unknown' })
    expect(await entra.signIn(login)).toMatchObject({ outcome: 'signed_in', isNew: true })
    expect(resourceOf(await find(entra.storage))).toEqual({ schemas: [userSchema.id], ...profile })
  })
})
