// Over 250 lines: minting an access token, verifying it and checking its status use the same claims.
import {
  digestSecret,
  encodeBase64url,
  forgetOldest,
  hmacSha256,
  isJsonObject,
  randomSecret,
  type Random,
} from '@mintmark/internal'
import {
  after,
  type Brand,
  type ClientId,
  clientId,
  type ClientRecord,
  type EpochSeconds,
  epochSeconds,
  familyId,
  type JsonObject,
  type JsonValue,
  type OAuthStorage,
  type UserId,
} from '@mintmark/storage-interface'
import type { FamilyId, FamilyStatus, Lineage, Possession, StatusClient } from '@mintmark/storage-interface/stores'

import { registeredScopes } from '../permissions/scopes.ts'
import { permittedAlgorithm, profileRules, type ProfileSettings } from '../clients/security-profile.ts'
import { signJwt } from '../keys/jws.ts'
import { isCurrent, verifyOwnJwt, type VerifyOwnJwtDependencies } from '../keys/verify-jwt.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'
import type { GrantDecision, UserDecision } from './grant.ts'
import { subjectFor, userOfSubject } from './pairwise.ts'
import { findActiveFamily, isFamilyActive, type Active } from '../permissions/status.ts'

export interface AccessTokenDependencies extends ProfileSettings {
  readonly issuer: string
  readonly storage: OAuthStorage
  readonly keys: KeyRing
  readonly random: Random
  /** Generates the `jti` of a token: an identifier, not a secret. */
  readonly newTokenId: () => string
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly revocationNames: RevocationNames
  /** The client that may act for the users of a client (RFC 8693 §4.4). */
  readonly mayAct: ReadonlyMap<string, string>
}

/**
 * Mints the access token: a JWT (RFC 9068), which is not stored, or an opaque token if its resource requires one.
 * @throws OAuthError invalid_grant — reason `user_id_equals_client_id`.
 */
export async function mintAccessToken(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: AccessTokenDependencies,
): Promise<string> {
  refuseSubjectOfClient(decision)
  // The host's claims come first, so that they do not override claims of the protocol.
  const claims = { ...decision.claims?.accessToken, ...(await accessTokenClaims(decision, now, deps)) }
  if (decision.target.format === 'jwt' && !mustBeOpaque(decision))
    return signJwt('at+jwt', claims, await deps.keys.signer(algorithmFor(decision, deps)))

  const token = randomSecret(deps.random)
  await deps.storage.opaqueTokens.insert({
    digest: await digestSecret(token),
    clientId: decision.client.clientId,
    familyId: decision.forUser?.familyId,
    claims,
    expiresAt: after(now, decision.target.lifetime),
    revokedAt: undefined,
  })
  return token
}

/**
 * Whether the token must be opaque, whatever its resource prefers. A client can read a JWT, and the claims that the
 * revocation feed needs are the same at all clients: they would identify a user who has pairwise subjects.
 */
const mustBeOpaque = ({ client, forUser }: GrantDecision): boolean =>
  client.subjectType === 'pairwise' && forUser !== undefined

/** FAPI 2.0 SP §5.4.1: some profiles permit only some algorithms. */
const algorithmFor = ({ client }: GrantDecision, deps: AccessTokenDependencies): SigningAlgorithm =>
  client.profile === 'standard' && deps.minimumProfile === 'standard'
    ? deps.accessTokenAlgorithm
    : permittedAlgorithm(deps.accessTokenAlgorithm, profileRules(client, deps), deps.keys)

/**
 * Refuses a user with the same identifier as the client. A host that inserts users itself may have created one.
 * Resource servers treat a token with equal `sub` and `client_id` as a token that a client holds for itself.
 */
function refuseSubjectOfClient({ forUser, client }: GrantDecision): void {
  const userId: string | undefined = forUser?.user.userId
  if (userId !== client.clientId) return
  // RFC 9068 §5: the `sub` of a user must not be mistaken for a client.
  throw refuse('user_id_equals_client_id', { clientId: client.clientId, userId })
}

/**
 * Builds the claims of an access token (RFC 9068 §2.2). Together with `jti`, the claims `client_ref`, `user_ref`,
 * `family`, `grant`, `session`, `generation`, `lineage` and `origins` name everything that the token depends on, for readers of the
 * revocation feed. They are identifiers, not credentials.
 */
async function accessTokenClaims(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: Pick<AccessTokenDependencies, 'issuer' | 'random' | 'newTokenId' | 'revocationNames' | 'storage' | 'mayAct'>,
): Promise<JsonObject> {
  const { client, target, forUser, exchange } = decision
  return {
    iss: deps.issuer,
    sub:
      mustBeOpaque(decision) && forUser !== undefined
        ? await subjectFor(forUser.user.userId, client, deps)
        : subjectOf(decision),
    // A single audience is a string, which every verifier accepts (RFC 7519 §4.1.3).
    aud: target.audience.length === 1 ? (target.audience[0] ?? '') : target.audience,
    exp: after(now, target.lifetime),
    iat: now,
    jti: deps.newTokenId(),
    client_id: client.clientId,
    // A token that was exchanged depends on the clients of the tokens before it too.
    client_ref: [...(await deps.revocationNames.ofClient(client.clientId)), ...(exchange?.clientNames ?? [])],
    ...(target.scopes.length > 0 && { scope: target.scopes.join(' ') }),
    ...(forUser !== undefined && {
      user_ref: await deps.revocationNames.ofUser(forUser.user.userId),
      ...dependencyClaims(forUser),
      ...mayActClaim(deps.mayAct.get(client.clientId)),
    }),
    ...(exchange?.lineage !== undefined && lineageClaims(exchange.lineage)),
    // RFC 9396 §9.1.
    ...(decision.authorizationDetails !== undefined && { authorization_details: decision.authorizationDetails }),
    ...confirmationOf(decision.possession),
    ...(forUser?.authentication.acr !== undefined && { acr: forUser.authentication.acr }),
  }
}

/** Returns the claims of a token that was exchanged (RFC 8693 §4.1). */
const lineageClaims = ({ parents, tokenIds, act }: Lineage): JsonObject => ({
  lineage: parents,
  origins: tokenIds,
  ...(act !== undefined && { act }),
})

/** Returns the claim that names the party that may act for the user, in the same form as `act` (RFC 8693 §4.4). */
const mayActClaim = (party: string | undefined): JsonObject =>
  party === undefined ? {} : { may_act: { sub: party, client_id: party } }

/**
 * Whether the token names the client as the party that may act for its user (RFC 8693 §4.4).
 * @returns `undefined` if it names nobody.
 */
export function isNamedByMayAct({ claims }: VerifiedAccessToken, { clientId }: ClientRecord): boolean | undefined {
  const { may_act: party } = claims
  if (party === undefined) return undefined
  return isJsonObject(party) && party['sub'] === clientId && party['client_id'] === clientId
}

/** Returns the claim that binds the token to a key (RFC 9449 §6.1, RFC 8705 §3.1). */
export function confirmationOf(possession: Possession): JsonObject {
  if (possession.kind === 'dpop') return { cnf: { jkt: possession.jkt } }
  return possession.kind === 'mtls' ? { cnf: { 'x5t#S256': possession.x5tS256 } } : {}
}

/** Returns the subject of the access token: the user, or the client for its own token (RFC 9068 §2.2). */
export const subjectOf = ({ forUser, client }: GrantDecision): string => forUser?.user.userId ?? client.clientId

const dependencyClaims = ({ familyId, grantId, boundSessionId, user, authentication }: UserDecision): JsonObject => ({
  family: familyId,
  grant: grantId,
  ...(boundSessionId !== undefined && { session: boundSessionId }),
  generation: user.generation,
  auth_time: authentication.authTime,
})

/**
 * The names of clients and users in access tokens and in the revocation feed: MACs with a secret of the issuer. An API
 * recognizes the names that it has seen in tokens, and learns nothing from other names, not even by guessing. There is
 * one name for each secret, so that the names match while some servers have only one of the secrets.
 */
export interface RevocationNames {
  ofClient(clientId: ClientId): Promise<readonly string[]>
  ofUser(userId: UserId): Promise<readonly string[]>
}

/** Derives the names from the secrets of a key ring, which are read once. */
export function createRevocationNames(keys: Pick<KeyRing, 'deriveSecrets'>): RevocationNames {
  let secrets: Promise<readonly Uint8Array[]> | undefined
  const namesOf = async (kind: 'client' | 'user', id: string): Promise<readonly string[]> => {
    // A failure of the host's key ring is not kept.
    secrets ??= deriveFeedSecrets(keys).catch((error: unknown) => {
      secrets = undefined
      throw error
    })
    const message = new TextEncoder().encode(`${kind} ${id}`)
    const names: string[] = []
    for (const secret of await secrets) {
      const mac = hmacSha256(secret, message)
      names.push(encodeBase64url(mac instanceof Promise ? await mac : mac).slice(0, 22))
    }
    return names
  }
  const ofClients = new Map<ClientId, readonly string[]>()
  return {
    async ofClient(id) {
      const known = ofClients.get(id)
      if (known !== undefined) return known
      const names = await namesOf('client', id)
      ofClients.set(id, names)
      forgetOldest(ofClients, maxClients)
      return names
    },
    ofUser: (id) => namesOf('user', id),
  }
}

/** How many clients' names are kept. There are many more users, and each of them gets few tokens. */
const maxClients = 1000

async function deriveFeedSecrets(keys: Pick<KeyRing, 'deriveSecrets'>): Promise<readonly Uint8Array[]> {
  const secrets = await keys.deriveSecrets('revocation-feed')
  // Without a name, a token would depend on nothing that the feed can revoke.
  if (secrets.length === 0) throw new TypeError('The key ring must derive at least one secret.')
  return secrets
}

/** The content of an access token. */
interface AccessToken {
  readonly format: 'jwt' | 'opaque'
  /** As in RFC 9068 §2.2. */
  readonly claims: JsonObject
  readonly subject: string
  readonly clientId: ClientId
  readonly tokenId: string
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  /** `undefined` for a token that a client holds for itself. */
  readonly familyId: FamilyId | undefined
  /** The key that the token is bound to (RFC 9449 §6.1, RFC 8705 §3.1). */
  readonly possession: Possession
  readonly expiresAt: EpochSeconds
}

/** A genuine, unexpired access token of this server. It may have been revoked. */
export type VerifiedAccessToken = Brand<AccessToken, 'VerifiedAccessToken'>

export interface VerifyAccessTokenDependencies extends VerifyOwnJwtDependencies {
  readonly storage: OAuthStorage
}

/**
 * Verifies a presented access token: a JWT by its signature, an opaque one by its record.
 * @returns evidence, or `undefined` for everything that is not a current access token of this server.
 */
export async function verifyAccessToken(
  token: string,
  now: EpochSeconds,
  deps: VerifyAccessTokenDependencies,
): Promise<VerifiedAccessToken | undefined> {
  if (token.includes('.')) {
    const claims = await verifyOwnJwt(token, 'at+jwt', deps)
    return claims !== undefined && isCurrent(claims, now) ? readClaims(claims, 'jwt') : undefined
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined
  const record = await deps.storage.opaqueTokens.find(await digestSecret(token), now)
  return record !== undefined && isCurrent(record.claims, now) ? readClaims(record.claims, 'opaque') : undefined
}

/** Reads the claims; `undefined` if one is missing or of the wrong type (RFC 9068 §2.2). */
function readClaims(claims: JsonObject, format: 'jwt' | 'opaque'): VerifiedAccessToken | undefined {
  const { sub, aud, jti, client_id: client, scope = '', family, exp, cnf } = claims
  const audience = typeof aud === 'string' ? [aud] : aud
  if (!isNonEmptyString(sub) || !isNonEmptyString(jti) || !isNonEmptyString(client) || typeof scope !== 'string')
    return undefined
  if (!Array.isArray(audience) || audience.length === 0 || !audience.every(isNonEmptyString)) return undefined
  if (family !== undefined && !isNonEmptyString(family)) return undefined
  const possession = readConfirmation(cnf)
  // RFC 7800 §3.1: a token that is bound in a way that is not understood is not a bearer token.
  if (possession === undefined) return undefined

  const token: AccessToken = {
    format,
    claims,
    subject: sub,
    clientId: clientId(client),
    tokenId: jti,
    audience,
    scopes: scope.split(' ').filter((value) => value !== ''),
    familyId: family === undefined ? undefined : familyId(family),
    possession,
    expiresAt: epochSeconds(Number(exp)),
  }
  return token as VerifiedAccessToken
}

/** Reads the key that a token is bound to; `undefined` if the binding is not to exactly one key of a known kind. */
export function readConfirmation(cnf: JsonValue | undefined): Possession | undefined {
  if (cnf === undefined) return { kind: 'none' }
  if (!isJsonObject(cnf) || Object.keys(cnf).length !== 1) return undefined
  const { jkt, 'x5t#S256': x5tS256 } = cnf
  if (isNonEmptyString(jkt)) return { kind: 'dpop', jkt }
  return isNonEmptyString(x5tS256) ? { kind: 'mtls', x5tS256 } : undefined
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * What an active access token depends on: the client alone, or the user's token family with its grant, client and user.
 */
type AccessTokenStatus = {
  /** The scope values of the token that the client is still registered for (RFC 6749 §3.3). */
  readonly scopes: readonly string[]
} & (
  | { readonly kind: 'client'; readonly client: StatusClient }
  | { readonly kind: 'user'; readonly family: Active<FamilyStatus> }
)

/**
 * Checks everything that an access token depends on: the token itself, its family, grant, client and user.
 * @returns `undefined` when any of them is revoked, disabled, deactivated or deleted.
 */
export async function statusOfAccessToken(
  token: VerifiedAccessToken,
  now: EpochSeconds,
  storage: OAuthStorage,
): Promise<AccessTokenStatus | undefined> {
  const { clientId, familyId, tokenId, format } = token
  if (familyId === undefined) {
    // RFC 7009 §2.1: the token itself was revoked. The record of a revoked opaque token is not found in the first place.
    if (format === 'jwt' && (await storage.revocations.isTokenRevoked(tokenId, now))) return undefined
    const client = await storage.clients.find(clientId)
    if (client === undefined || client.disabledAt !== undefined) return undefined
    return { kind: 'client', client, scopes: registeredScopes(token.scopes, client) }
  }
  // RFC 7009 §2.1: `undefined` as well if the token itself was revoked.
  const ofToken = await storage.status.ofAccessToken({ familyId, tokenId, now })
  // A family without a lineage, as most are, needs no further read.
  const status = isFamilyActive(ofToken, now) ? ofToken : await findActiveFamily(ofToken, now, storage)
  if (status === undefined) return undefined
  const { client, user } = status
  const namesUser =
    client.subjectType === 'public'
      ? token.subject === user.userId
      : (await userOfSubject(token.subject, client, storage)) === user.userId
  return namesUser && client.clientId === clientId
    ? { kind: 'user', family: status, scopes: registeredScopes(token.scopes, client) }
    : undefined
}

/** What an active access token allows at the host's own endpoints. */
export interface ActiveAccessToken {
  /** The user; or the client, for a token that it holds for itself. */
  readonly subject: string
  readonly clientId: ClientId
  readonly scopes: readonly string[]
  readonly expiresAt: EpochSeconds
}

/**
 * Checks a bearer token that was presented to this issuer: its signature, its audience, and everything that it depends
 * on.
 * @returns `undefined` if the token is not active, or is bound to a key, because no key is proven here.
 */
export async function findActiveAccessToken(
  token: string,
  now: EpochSeconds,
  deps: VerifyAccessTokenDependencies,
): Promise<ActiveAccessToken | undefined> {
  const verified = await verifyAccessToken(token, now, deps)
  // RFC 9068 §4: tokens for other audiences are not accepted here.
  if (verified === undefined || !verified.audience.includes(deps.issuer)) return undefined
  // RFC 9449 §7.2: a bound token is not accepted without proof of its key.
  if (verified.possession.kind !== 'none') return undefined
  const status = await statusOfAccessToken(verified, now, deps.storage)
  if (status === undefined) return undefined
  const { clientId, expiresAt } = verified
  const subject = status.kind === 'user' ? status.family.user.userId : verified.subject
  return { subject, clientId, scopes: status.scopes, expiresAt }
}

/** Returns the client that an access token of this server was issued to. A JWT may have expired or been revoked. */
export async function findClientOfToken(
  token: string,
  now: EpochSeconds,
  deps: VerifyOwnJwtDependencies & { readonly storage: OAuthStorage },
): Promise<ClientId | undefined> {
  if (!token.includes('.')) return (await deps.storage.opaqueTokens.find(await digestSecret(token), now))?.clientId
  const claims = await verifyOwnJwt(token, 'at+jwt', deps)
  return typeof claims?.['client_id'] === 'string' ? clientId(claims['client_id']) : undefined
}
