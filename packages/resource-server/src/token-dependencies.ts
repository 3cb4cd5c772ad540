import type { AccessTokenClaims } from './access-token.ts'
import type { EpochMilliseconds } from './runtime.ts'

/** The kinds of things that an access token depends on. The revocation feed names them; revoking one revokes the token. */
export const dependencyKinds = ['account', 'client', 'family', 'grant', 'key', 'session', 'token'] as const

type DependencyKind = (typeof dependencyKinds)[number]

/** The things that one access token depends on. */
export interface TokenDependencies {
  readonly token: string
  /** The names of the client in the feed, one for each secret of the authorization server. */
  readonly client: readonly string[]
  /** `undefined` for a client that acts on its own behalf. */
  readonly user: UserDependencies | undefined
}

interface UserDependencies {
  /** The names of the user in the feed. */
  readonly names: readonly string[]
  /**
   * The user's generation when the token was issued. Each deactivation starts a new generation; older generations stay
   * revoked.
   */
  readonly generation: number
  readonly family: string
  readonly grant: string
  /** The session whose end revokes the token; `undefined` for a token that outlives its session. */
  readonly session: string | undefined
  /** The families of the tokens that the token was exchanged for, and the identifiers of those tokens. */
  readonly lineage: readonly string[]
  readonly origins: readonly string[]
}

/**
 * Reads the things that a token depends on. Only a token of a user names a token family.
 * @returns `undefined` when a name is missing, because the status of the token is then unknown.
 */
export function readTokenDependencies({ tokenId, claims }: AccessTokenClaims): TokenDependencies | undefined {
  const { client_ref: client, user_ref: names, family, grant, generation, session, lineage = [], origins = [] } = claims
  if (!isNameList(client)) return undefined
  if (family === undefined) return { token: tokenId, client, user: undefined }
  if (typeof family !== 'string' || typeof grant !== 'string' || !Number.isSafeInteger(generation)) return undefined
  if (!isNameList(names) || (session !== undefined && typeof session !== 'string')) return undefined
  if (!isListOfStrings(lineage) || !isListOfStrings(origins) || lineage.length !== origins.length) return undefined
  const user = { names, generation: Number(generation), family, grant, session, lineage, origins }
  return { token: tokenId, client, user }
}

const isNameList = (value: unknown): value is readonly string[] => isListOfStrings(value) && value.length > 0

const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')

/** A revocation of the feed. `until`, in seconds since 1970, is when the last token that may contain the name expires. */
export type Revocation = readonly [kind: DependencyKind, name: string, until: number]

/** The revocations that can still affect a token. */
export interface RevokedDependencies {
  /**
   * Adds revocations. A later revocation of a name replaces an earlier one: an enabled client is "revoked" until 0.
   * @param sentAt when the server sent them, by its clock. How long each is kept does not depend on the difference of the clocks.
   */
  add(revocations: readonly Revocation[], sentAt: number, now: EpochMilliseconds): void
  /** Tells whether the signing key was dropped. */
  includesKey(keyId: string, now: EpochMilliseconds): boolean
  /** Tells whether something that the token depends on is revoked. */
  includesAnyOf(dependencies: TokenDependencies, now: EpochMilliseconds): boolean
}

export function createRevokedDependencies(): RevokedDependencies {
  const revoked = new Map(dependencyKinds.map((kind) => [kind, new Map<string, number>()]))
  const isRevoked = (kind: DependencyKind, name: string, now: EpochMilliseconds): boolean => {
    const until = revoked.get(kind)?.get(name)
    return until !== undefined && now / 1000 < until
  }

  return {
    add(revocations, sentAt, now) {
      if (revocations.length > 0) for (const names of revoked.values()) removeExpired(names, now)
      for (const [kind, name, until] of revocations)
        revoked.get(kind)?.set(name, until === 0 ? 0 : until - sentAt + now / 1000)
    },
    includesKey: (keyId, now) => isRevoked('key', keyId, now),
    includesAnyOf({ token, client, user }, now) {
      if (isRevoked('token', token, now) || client.some((name) => isRevoked('client', name, now))) return true
      if (user === undefined) return false
      if (isRevoked('family', user.family, now) || isRevoked('grant', user.grant, now)) return true
      if (user.lineage.some((family) => isRevoked('family', family, now))) return true
      if (user.origins.some((tokenId) => isRevoked('token', tokenId, now))) return true
      if (user.session !== undefined && isRevoked('session', user.session, now)) return true
      return user.names.some(
        (name) => isRevoked('account', name, now) || isRevoked('account', `${name}.${user.generation}`, now),
      )
    },
  }
}

/** Removes expired revocations, from the oldest to the first that has not expired. */
function removeExpired(names: Map<string, number>, now: EpochMilliseconds): void {
  for (const [name, until] of names) {
    if (now / 1000 < until) return
    names.delete(name)
  }
}
