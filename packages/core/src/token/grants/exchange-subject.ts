import { findResourceName } from '@mintmark/internal'
import type { Brand, EpochSeconds, JsonObject, TokenFamilyRecord } from '@mintmark/storage-interface'
import type { Lineage, Possession } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import type { Parameters } from '../../parameters.ts'
import { type ExchangeRule, isForSubject, type SubjectKind } from '../../permissions/exchange-policy.ts'
import type { ResourceRules } from '../../permissions/resources.ts'
import type { ActiveUser } from '../../permissions/status.ts'
import { refuse } from '../../refusals.ts'
import {
  isNamedByMayAct,
  statusOfAccessToken,
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from '../../tokens/access-token.ts'
import { idTokenType, verifyIdToken } from '../../tokens/presented-id-token.ts'

/** What a presented token permits, and what the new token takes over from it. */
interface SubjectToken {
  readonly kind: SubjectKind
  readonly user: ActiveUser
  readonly granted: Pick<
    TokenFamilyRecord,
    'grantId' | 'userId' | 'boundSessionId' | 'organizationId' | 'authentication'
  >
  /** The client that the token was issued to, and the parties that act with it already. */
  readonly presented: { readonly clientId: string; readonly act: JsonObject | undefined }
  readonly scopes: readonly string[]
  readonly possession: Possession
  readonly expiresAt: EpochSeconds
  /** What the new token depends on; `undefined` for an ID token, which belongs to the grant of the client itself. */
  readonly origins: Omit<Lineage, 'act'> | undefined
  /** The names of the clients of those tokens in the revocation feed. */
  readonly clientNames: readonly string[]
}

/** A presented token about a user that is active, and that the client may exchange. Only `proveSubject` creates it. */
export type ProvenSubject = Brand<SubjectToken, 'ProvenSubject' | 'GrantEvidence'>

export interface ExchangeCall {
  readonly form: Parameters
  readonly client: AuthenticatedClient
  readonly rules: readonly ExchangeRule[]
}

export type SubjectDependencies = VerifyAccessTokenDependencies & Pick<ResourceRules, 'identityScopes'>

/**
 * Verifies the `subject_token`.
 * @throws OAuthError invalid_request — reason `subject_token_invalid`; access_denied — reason `exchange_without_standing`.
 */
export async function proveSubject(
  { form, client, rules }: ExchangeCall,
  now: EpochSeconds,
  deps: SubjectDependencies,
): Promise<ProvenSubject> {
  const token = form.get('subject_token')
  const kind = kindOf(form.get('subject_token_type'))
  // RFC 8693 §2.2.2: it is missing, or of a type that no rule permits. A client that has a refresh token refreshes.
  if (token === undefined || kind === undefined || !rules.some((rule) => isForSubject(rule, kind)))
    throw refuse('subject_token_invalid')
  const subject =
    kind === 'id_token'
      ? await subjectOfIdToken(token, { client, now }, deps)
      : await subjectOfAccessToken(token, { client, now }, deps)
  // RFC 8693 §2.2.2: the token is not valid.
  if (subject === undefined) throw refuse('subject_token_invalid')
  return subject as ProvenSubject
}

interface Presentation {
  readonly client: AuthenticatedClient
  readonly now: EpochSeconds
}

/** @throws OAuthError access_denied — reason `exchange_without_standing`. */
async function subjectOfAccessToken(
  presented: string,
  { client, now }: Presentation,
  deps: SubjectDependencies,
): Promise<SubjectToken | undefined> {
  const token = await verifyAccessToken(presented, now, deps)
  const status = token && (await statusOfAccessToken(token, now, deps.storage))
  // A token that a client holds for itself has no user to act for.
  if (token === undefined || status?.kind !== 'user') return undefined
  const { family, user } = status.family
  // RFC 8693 §2.1, §4.4, §5: the token names another party, or was issued neither to the client nor for an API of it.
  if (!hasStanding(token, client)) throw refuse('exchange_without_standing', { userId: user.userId })
  const { parents = [], tokenIds = [], providerId, act } = family.lineage ?? {}
  return {
    kind: 'access_token',
    user,
    granted: family,
    presented: { clientId: family.clientId, act },
    scopes: status.scopes,
    possession: token.possession,
    expiresAt: token.expiresAt,
    origins: {
      parents: [...parents, family.familyId],
      tokenIds: [...tokenIds, token.tokenId],
      ...(providerId !== undefined && { providerId }),
    },
    clientNames: clientNamesOf(token),
  }
}

/** Whether the client may exchange the token: it is the party of `may_act`, or has got the token itself or as an API. */
const hasStanding = (token: VerifiedAccessToken, client: AuthenticatedClient): boolean =>
  isNamedByMayAct(token, client) ??
  (token.clientId === client.clientId ||
    token.audience.some((uri) => findResourceName(uri, client.servedAudiences) !== undefined))

/** The names are in every token that this server mints. */
function clientNamesOf({ claims }: VerifiedAccessToken): readonly string[] {
  const names = claims['client_ref']
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

/** An ID token names no APIs and no scope values: the client has those that the user granted to it. */
async function subjectOfIdToken(
  presented: string,
  { client, now }: Presentation,
  deps: SubjectDependencies,
): Promise<SubjectToken | undefined> {
  const token = await verifyIdToken(presented, { client, now }, deps)
  if (token === undefined) return undefined
  const { grant, user, boundSessionId, authentication, expiresAt } = token
  const { grantId, userId, scopes } = grant
  return {
    kind: 'id_token',
    user,
    granted: { grantId, userId, boundSessionId, organizationId: undefined, authentication },
    presented: { clientId: client.clientId, act: undefined },
    scopes: scopes.filter((scope) => !deps.identityScopes.has(scope)),
    possession: { kind: 'none' },
    expiresAt,
    origins: undefined,
    clientNames: [],
  }
}

/**
 * Verifies the `actor_token`, if there is one: a token that the client holds for itself. The client has authenticated, so
 * it is the actor either way.
 * @throws OAuthError invalid_request — reason `actor_token_invalid`.
 */
export async function proveActor(
  { form, client }: Pick<ExchangeCall, 'form' | 'client'>,
  now: EpochSeconds,
  deps: VerifyAccessTokenDependencies,
): Promise<void> {
  const presented = form.get('actor_token')
  const type = form.get('actor_token_type')
  if (presented === undefined && type === undefined) return
  const token =
    presented === undefined || kindOf(type) !== 'access_token'
      ? undefined
      : await verifyAccessToken(presented, now, deps)
  const status = token && (await statusOfAccessToken(token, now, deps.storage))
  // RFC 8693 §2.1, §5: a token of somebody else would let the client act in their name.
  if (status?.kind !== 'client' || status.client.clientId !== client.clientId) throw refuse('actor_token_invalid')
}

/** The identifier of access tokens (RFC 8693 §3). */
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * RFC 8693 §3: `jwt` names the format of a token, which an access token may have. Spring Security, since 6.3, names an access
 * token so that an API has verified. It is proven to be an access token like one that is called so.
 */
const tokenKinds: ReadonlyMap<string, SubjectKind> = new Map([
  [accessTokenType, 'access_token'],
  ['urn:ietf:params:oauth:token-type:jwt', 'access_token'],
  [idTokenType, 'id_token'],
])

const kindOf = (type: string | undefined): SubjectKind | undefined => tokenKinds.get(type ?? '')
