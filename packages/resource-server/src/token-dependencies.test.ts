import { describe, expect, it } from 'vitest'

import { createRevokedDependencies, type Revocation, type TokenDependencies } from './token-dependencies.ts'

const now = 1_000_000
const sentAt = 1000
const user = { names: ['u', 'older'], generation: 3, family: 'f', grant: 'g', lineage: [], origins: [], session: 's' }
const userToken: TokenDependencies = { token: 't', client: ['c', 'old'], user }
const exchanged = { ...user, lineage: ['root', 'middle'], origins: ['t0', 't1'] }
const exchangedToken: TokenDependencies = { ...userToken, user: exchanged }
const serviceToken: TokenDependencies = { token: 't', client: ['c'], user: undefined }

const isRevoked = (revocations: readonly Revocation[], dependencies = userToken, at = now): boolean => {
  const revoked = createRevokedDependencies()
  revoked.add(revocations, sentAt, now)
  return revoked.includesAnyOf(dependencies, at)
}

describe('revoked dependencies', () => {
  it.each<Revocation>([
    ['family', 'root', 2000],
    ['family', 'middle', 2000],
    ['token', 't0', 2000],
    ['token', 't1', 2000],
  ])('a revoked %s %s revokes a token that was exchanged for it (RFC 8693 §2.1)', (...revocation) => {
    expect(isRevoked([revocation], exchangedToken)).toBe(true)
    expect(isRevoked([revocation])).toBe(false)
  })

  it.each<Revocation>([
    ['token', 't', 2000],
    ['client', 'c', 2000],
    ['family', 'f', 2000],
    ['grant', 'g', 2000],
    ['session', 's', 2000],
    ['account', 'u', 2000],
    ['account', 'u.3', 2000],
    ['account', 'older', 2000],
    ['account', 'older.3', 2000],
    ['client', 'old', 2000],
  ])('a revoked %s %s revokes the token of a user', (...revocation) => {
    expect(isRevoked([revocation])).toBe(true)
  })

  it.each<Revocation>([
    ['token', 'other', 2000],
    ['client', 't', 2000],
    ['family', 'g', 2000],
    ['session', 'other', 2000],
    ['account', 'other', 2000],
    ['account', 'u.2', 2000],
    ['account', 'u.4', 2000],
    ['account', 'u.33', 2000],
  ])('a revoked %s %s does not revoke the token', (...revocation) => {
    expect(isRevoked([revocation])).toBe(false)
  })

  it('a token of a client that acts on its own behalf depends on the client, but not on a user, token family or grant', () => {
    expect(
      isRevoked(
        [
          ['family', 'f', 2000],
          ['grant', 'g', 2000],
          ['account', 'u', 2000],
        ],
        serviceToken,
      ),
    ).toBe(false)
    expect(isRevoked([['client', 'c', 2000]], serviceToken)).toBe(true)
  })

  it('forgets a revocation when every token that could depend on it has expired', () => {
    expect([isRevoked([['token', 't', 1001]]), isRevoked([['token', 't', 1001]], userToken, 1_001_000)]).toEqual([
      true,
      false,
    ])
  })

  it('a later revocation of a name replaces an earlier one, as when a client is enabled again', () => {
    expect(
      isRevoked([
        ['client', 'c', 2000],
        ['client', 'c', 0],
      ]),
    ).toBe(false)
    expect(
      isRevoked([
        ['client', 'c', 0],
        ['client', 'c', 2000],
      ]),
    ).toBe(true)
  })

  it('treats names such as __proto__ like any other', () => {
    expect(isRevoked([['token', '__proto__', 2000]])).toBe(false)
    expect(isRevoked([['token', '__proto__', 2000]], { ...serviceToken, token: '__proto__' })).toBe(true)
  })
})
