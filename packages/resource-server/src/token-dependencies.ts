import type { AccessTokenClaims } from './access-token.ts'
import type { EpochMilliseconds } from './runtime.ts'

/** What an access token depends on. Revoking one of these revokes the token; the revocation feed names them. */
export const dependencyKinds = ['account', 'client', 'family', 'grant', 'key', 'session', 'token'] as const

type DependencyKind = (typeof dependencyKinds)[number]

/** What one access token depends on. */
export interface TokenDependencies {
  readonly token: string
  /** The names of the client in the feed: one for each secret of the authorization server. */
  readonly client: readonly string[]
  /** `undefined` for a client that acts on its own behalf. */
  readonly user: UserDependencies | undefined
}

interface UserDependencies {
  /** The names of the user in the feed. */
  readonly names: readonly string[]
  /** The user's generation when the token was issued: each deactivation starts a new one, and the old one stays revoked. */
  readonly generation: number
  readonly family: string
  readonly grant: string
  /** The session that the token is revoked with; `undefined` for a token that is independent of it. */
  readonly session: string | undefined
}

/**
 * Reads what a token depends on. A token of a user names its token family.
 * @returns `undefined` when a name is missing: then nothing can be said about the token.
 */
export function readTokenDependencies({ tokenId, claims }: AccessTokenClaims): TokenDependencies | undefined {
  const { client_ref: client, user_ref: names, family, grant, generation, session } = claims
  if (!isNames(client)) return undefined
  if (family === undefined) return { token: tokenId, client, user: undefined }
  if (typeof family !== 'string' || typeof grant !== 'string' || !Number.isSafeInteger(generation)) return undefined
  if (!isNames(names) || (session !== undefined && typeof session !== 'string')) return undefined
  return { token: tokenId, client, user: { names, generation: Number(generation), family, grant, session } }
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')

/** A revocation of the feed: a token may name what was revoked until then, in seconds. */
export type Revocation = readonly [kind: DependencyKind, name: string, until: number]

/** The revocations that a token could still be affected by. */
export interface RevokedDependencies {
  /** A later revocation of a name replaces an earlier one: a client that is enabled again is revoked until 0. */
  add(revocations: readonly Revocation[], now: EpochMilliseconds): void
  /** Whether the signing key was dropped. */
  includesKey(keyId: string, now: EpochMilliseconds): boolean
  /** Whether something that the token depends on is revoked. */
  affect(dependencies: TokenDependencies, now: EpochMilliseconds): boolean
}

export function createRevokedDependencies(): RevokedDependencies {
  const revoked = new Map(dependencyKinds.map((kind) => [kind, new Map<string, number>()]))
  const isRevoked = (kind: DependencyKind, name: string, now: EpochMilliseconds): boolean => {
    const until = revoked.get(kind)?.get(name)
    return until !== undefined && now / 1000 < until
  }

  return {
    add(revocations, now) {
      if (revocations.length > 0) for (const names of revoked.values()) forgetOld(names, now)
      for (const [kind, name, until] of revocations) revoked.get(kind)?.set(name, until)
    },
    includesKey: (keyId, now) => isRevoked('key', keyId, now),
    affect({ token, client, user }, now) {
      if (isRevoked('token', token, now) || client.some((name) => isRevoked('client', name, now))) return true
      if (user === undefined) return false
      if (isRevoked('family', user.family, now) || isRevoked('grant', user.grant, now)) return true
      if (user.session !== undefined && isRevoked('session', user.session, now)) return true
      return user.names.some(
        (name) => isRevoked('account', name, now) || isRevoked('account', `${name}.${user.generation}`, now),
      )
    },
  }
}

/** Removes from the oldest on, up to the first that still counts. */
function forgetOld(names: Map<string, number>, now: EpochMilliseconds): void {
  for (const [name, until] of names) {
    if (now / 1000 < until) return
    names.delete(name)
  }
}
