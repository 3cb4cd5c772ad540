import { describe, expect, it } from 'vitest'

import { digest } from './runtime.ts'
import { createRevokedDependencies, type Revocation, type TokenDependencies } from './token-dependencies.ts'

const now = 1_000_000
const user = { subject: 'U1', generation: 3, family: 'f', grant: 'g', session: 's' }
const ofUser: TokenDependencies = { token: 't', client: 'c', user }
const ofService: TokenDependencies = { token: 't', client: 'c', user: undefined }

const isRevoked = async (revocations: readonly Revocation[], dependencies = ofUser, at = now): Promise<boolean> => {
  const revoked = createRevokedDependencies()
  revoked.add(revocations, now)
  return revoked.affect(dependencies, at)
}

const account = await digest('U1')

describe('revoked dependencies', () => {
  it.each<Revocation>([
    ['token', 't', 2000],
    ['client', 'c', 2000],
    ['family', 'f', 2000],
    ['grant', 'g', 2000],
    ['session', 's', 2000],
    ['account', account, 2000],
    ['account', `${account}.3`, 2000],
  ])('a revoked %s %s revokes the token of a user', async (...revocation) => {
    expect(await isRevoked([revocation])).toBe(true)
  })

  it.each<Revocation>([
    ['token', 'other', 2000],
    ['client', 't', 2000],
    ['family', 'g', 2000],
    ['session', 'other', 2000],
    ['account', 'U1', 2000],
    ['account', `${account}.2`, 2000],
    ['account', `${account}.4`, 2000],
    ['account', `${account}.33`, 2000],
  ])('a revoked %s %s does not revoke the token', async (...revocation) => {
    expect(await isRevoked([revocation])).toBe(false)
  })

  it('a client that acts on its own behalf has no user, token family or grant', async () => {
    expect(
      await isRevoked(
        [
          ['family', 'f', 2000],
          ['grant', 'g', 2000],
          ['account', account, 2000],
        ],
        ofService,
      ),
    ).toBe(false)
    expect(await isRevoked([['client', 'c', 2000]], ofService)).toBe(true)
  })

  it('forgets a revocation when no token could depend on it any more', async () => {
    expect([
      await isRevoked([['token', 't', 1001]]),
      await isRevoked([['token', 't', 1001]], ofUser, 1_001_000),
    ]).toEqual([true, false])
  })

  it('a later revocation replaces an earlier one: a client that is enabled again', async () => {
    expect(
      await isRevoked([
        ['client', 'c', 2000],
        ['client', 'c', 0],
      ]),
    ).toBe(false)
    expect(
      await isRevoked([
        ['client', 'c', 0],
        ['client', 'c', 2000],
      ]),
    ).toBe(true)
  })

  it('treats names such as __proto__ like any other', async () => {
    expect(await isRevoked([['token', '__proto__', 2000]])).toBe(false)
    expect(await isRevoked([['token', '__proto__', 2000]], { ...ofService, token: '__proto__' })).toBe(true)
  })
})
