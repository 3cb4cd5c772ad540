import {
  type Clock,
  type Endpoint,
  findResourceName,
  isJsonObject,
  json,
  noStore,
  type Random,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
} from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, OAuthStorage } from '@mintmark/storage-interface'
import type { StatusClient } from '@mintmark/storage-interface/stores'

import { detailsFor, registeredDetails } from '../permissions/authorization-details.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'
import { mayRefresh, registeredScopes } from '../permissions/scopes.ts'
import {
  authenticateClient,
  requireConfidential,
  type ClientAuthenticationDependencies,
  type ConfidentialClient,
} from '../clients/authenticate.ts'
import { encryptAnswer } from '../clients/encrypt-answer.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import type { Journal } from '../events.ts'
import { permittedAlgorithm, profileRules } from '../clients/security-profile.ts'
import { chosenAlgorithm, defaultAlgorithm, signJwt } from '../keys/jws.ts'
import { readForm, refuseRepeated, requireToken } from '../parameters.ts'
import {
  statusOfAccessToken,
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from './access-token.ts'
import { computeIntrospectionClaims, type ClaimsDependencies } from './claims.ts'
import { digestRefreshToken, isRefreshTokenForm, parseRefreshToken, type RefreshToken } from './refresh-token.ts'
import { subjectFor } from './pairwise.ts'
import { isFamilyActive } from '../permissions/status.ts'

export interface IntrospectionEndpointDependencies extends ClientAuthenticationDependencies, IntrospectDependencies {
  readonly clock: Clock
  readonly keySets: RemoteKeySets
  readonly journal: Journal
}

/** `POST /token/introspection` (RFC 7662 §2), with a plain or a signed response (RFC 9701). */
export const introspectionEndpoint =
  (deps: IntrospectionEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const caller = requireConfidential(await authenticateClient({ request, form }, now, deps))
    const token = requireToken(form, caller)
    const description = await introspectToken({ token, caller }, now, deps)
    deps.journal.record(request, {
      type: 'token.introspected',
      clientId: caller.clientId,
      active: description['active'] === true,
    })
    if (!wantsSignedResponse(request)) return json(200, description, [...noStore, vary])

    // RFC 9701 §5: the description is a claim of a JWT for this caller only.
    const claims = { iss: deps.issuer, aud: caller.clientId, iat: now, token_introspection: description }
    // RFC 9701 §6: RS256 unless the caller is registered for another algorithm.
    const chosen = caller.introspectionSignedResponseAlg
    const preferred = chosen === undefined ? defaultAlgorithm(deps.keys) : chosenAlgorithm(chosen, deps.keys)
    const algorithm = permittedAlgorithm(preferred, profileRules(caller, deps), deps.keys)
    const signer = await deps.keys.signer(algorithm)
    const jwt = await signJwt('token-introspection+jwt', claims, signer)
    return signedResponse(await encryptAnswer(jwt, { answer: 'introspection', client: caller, now }, deps.keySets))
  }

/** Whether the Accept header prefers a signed response (RFC 9701 §4). With equal weights, it is signed. */
function wantsSignedResponse(request: ServerRequest): boolean {
  const accept = request.headers.get('accept')?.toLowerCase()
  if (accept?.includes(signedMediaType) !== true) return false
  const ranges = parseAccept(accept)
  const signed = ranges.get(signedMediaType) ?? 0
  // RFC 9110 §12.5.1: the most specific range that matches gives the weight.
  const plain = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  return signed > 0 && signed >= plain
}

/** Returns the weights of the media ranges in lower case (RFC 9110 §12.4.2): 1 if there is none, 0 means "not acceptable". */
const parseAccept = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header
      .split(',')
      .map((range) => range.split(';').map((part) => part.trim()))
      .map(([type = '', ...parameters]) => {
        const [, weight = '1'] =
          /^q=([01](?:\.\d{0,3})?)$/.exec(parameters.find((part) => part.startsWith('q=')) ?? '') ?? []
        return [type, Number(weight)]
      }),
  )

const signedResponse = (jwt: string): ServerResponse =>
  withHeaders({ status: 200, headers: [['Content-Type', signedMediaType]], body: jwt }, [...noStore, vary])

const signedMediaType = 'application/token-introspection+jwt'

const vary = ['Vary', 'Accept'] as const

type IntrospectDependencies = VerifyAccessTokenDependencies &
  ClaimsDependencies & {
    readonly storage: OAuthStorage
    readonly detailTypes: DetailTypes
    readonly random: Random
  }

/**
 * Describes a token to a caller that it is meant for or was issued to (RFC 7662 §2.2, §4). `token_type_hint` is not
 * needed, because the form of a token shows its type.
 */
export async function introspectToken(
  { token, caller }: { readonly token: string; readonly caller: ConfidentialClient },
  now: EpochSeconds,
  deps: IntrospectDependencies,
): Promise<JsonObject> {
  const refreshToken = isRefreshTokenForm(token) ? await parseRefreshToken(token) : undefined
  if (refreshToken !== undefined) return describeRefreshToken({ refreshToken, caller }, now, deps)

  const accessToken = await verifyAccessToken(token, now, deps)
  // RFC 7662 §4: a caller learns nothing about tokens for others.
  if (accessToken === undefined || !mayIntrospect(caller, accessToken)) return inactive
  const status = await statusOfAccessToken(accessToken, now, deps.storage)
  if (status === undefined) return inactive
  const { scopes } = status
  const { client } = status.kind === 'user' ? status.family : status
  const subject =
    status.kind === 'user'
      ? { ...status.family, claimsRequest: status.family.family.claimsRequest }
      : { client: status.client, user: undefined, claimsRequest: undefined }
  const added = await computeIntrospectionClaims(
    { ...subject, scopes, audience: accessToken.audience, organization: undefined },
    deps,
  )
  return {
    ...describeAccessToken(accessToken, scopes),
    ...describeDetails(accessToken, { caller, client }, deps),
    ...added,
  }
}

async function describeRefreshToken(
  { refreshToken, caller }: { readonly refreshToken: RefreshToken; readonly caller: ClientRecord },
  now: EpochSeconds,
  deps: IntrospectDependencies,
): Promise<JsonObject> {
  const { handleDigest, tokenDigest } = await digestRefreshToken(refreshToken)
  const status = await deps.storage.status.ofRefreshHandle(handleDigest)
  if (!isFamilyActive(status, now) || status.family.clientId !== caller.clientId) return inactive
  const { family, client } = status
  const isCurrent = family.refresh?.currentDigest === tokenDigest && now < family.refresh.expiresAt
  if (!isCurrent || !mayRefresh(family.scopes, client)) return inactive

  return {
    active: true,
    scope: registeredScopes(family.scopes, client).join(' '),
    ...(family.authorizationDetails.length > 0 && {
      authorization_details: registeredDetails(family.authorizationDetails, { client, types: deps.detailTypes }),
    }),
    client_id: family.clientId,
    sub: await subjectFor(family.userId, client, deps),
    iss: deps.issuer,
    iat: family.refresh.rotatedAt ?? family.createdAt,
    exp: Math.min(family.refresh.expiresAt, family.expiresAt),
  }
}

/** Returns the claims of RFC 7662 §2.2, without the claims that only the revocation feed needs. */
function describeAccessToken(token: VerifiedAccessToken, scopes: readonly string[]): JsonObject {
  const {
    client_ref: _client,
    user_ref: _user,
    family: _family,
    grant: _grant,
    generation: _generation,
    session: _session,
    lineage: _lineage,
    origins: _origins,
    scope: _scope,
    ...claims
  } = token.claims
  return {
    ...claims,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    active: true,
    token_type: token.possession.kind === 'dpop' ? 'DPoP' : 'Bearer',
  }
}

/** Returns the details that concern the caller, of types that the client may still request (RFC 9396 §9.2). */
function describeDetails(
  { claims, clientId }: VerifiedAccessToken,
  { caller, client }: { readonly caller: ClientRecord; readonly client: StatusClient },
  { detailTypes: types }: IntrospectDependencies,
): JsonObject {
  const { authorization_details: stated } = claims
  if (!Array.isArray(stated)) return {}
  const details = registeredDetails(stated.filter(isJsonObject), { client, types })
  // RFC 9396 §11.4: a resource server learns nothing about permissions at other resource servers.
  const shown = caller.clientId === clientId ? details : detailsFor(details, caller.servedAudiences, types)
  return { authorization_details: shown }
}

const mayIntrospect = (caller: ClientRecord, token: VerifiedAccessToken): boolean =>
  caller.clientId === token.clientId ||
  token.audience.some((audience) => findResourceName(audience, caller.servedAudiences) !== undefined)

/** The response for every token that is not active or not meant for the caller (RFC 7662 §2.2). */
const inactive: JsonObject = { active: false }
