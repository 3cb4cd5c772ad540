import { decodeBase64url, decodeBody, parseJsonObject } from '@mintmark/internal'
import {
  type Brand,
  type EpochSeconds,
  epochSeconds,
  type JsonObject,
  type JsonValue,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { clockSkew, isShortLived, verifyIssuerJwt } from '../../clients/client-jwt.ts'
import type { RemoteKeySets } from '../../clients/remote-key-set.ts'
import { type AssertionSettings, findTrustedIssuer, type TrustedIssuer } from '../../permissions/assertion-issuers.ts'
import { isSameKey } from '../../permissions/status.ts'
import { OAuthError, refuse, type Refusal } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { readConfirmation } from '../../tokens/access-token.ts'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** A JWT about a user that a trusted issuer has signed for this client and this server. Only `verifyAssertion` creates it. */
export type VerifiedAssertion = Brand<
  {
    readonly trusted: TrustedIssuer
    readonly claims: JsonObject
    readonly tokenId: string
    readonly subject: string
    readonly expiresAt: EpochSeconds
    /** The scope values and APIs that it names; `undefined` for no claim. */
    readonly scopes: readonly string[] | undefined
    readonly resources: readonly string[] | undefined
    readonly authentication: AuthenticationRecord
  },
  'VerifiedAssertion'
>

export interface VerifyAssertionDependencies {
  readonly issuer: string
  readonly storage: OAuthStorage
  readonly assertions: AssertionSettings
  /** Apart from those of client authentication, whose requests these cannot use up. */
  readonly assertionKeySets: RemoteKeySets
}

/**
 * Verifies an assertion (RFC 7521 §5.2, RFC 7523 §3): who signed it, for whom, for which client, and until when. It
 * changes nothing.
 * @throws OAuthError invalid_grant — a reason that begins with `assertion_`; temporarily_unavailable — reason
 *   `assertion_keys_unavailable`.
 */
export async function verifyAssertion(
  assertion: string,
  presenter: {
    readonly client: AuthenticatedClient
    readonly possession: ProvenPossession
    readonly now: EpochSeconds
  },
  deps: VerifyAssertionDependencies,
): Promise<VerifiedAssertion> {
  const { client, possession, now } = presenter
  const unverified = claimsOf(assertion)
  // RFC 7523 §3: it must be a JWT.
  if (unverified === undefined) throw refuse('assertion_invalid', { clientId: client.clientId })
  const trusted = await findTrustedIssuer(unverified, client, deps)
  const refusal = (row: Refusal, cause?: unknown): OAuthError => {
    const about = { issuer: trusted.keys.issuer, providerId: trusted.providerId }
    return refuse(row, { clientId: client.clientId, assertion: about }, { cause })
  }
  const verified = await verifyIssuerJwt(assertion, { keys: trusted.keys, now }, deps.assertionKeySets).catch(
    (cause: unknown) => {
      if (!(cause instanceof OAuthError)) throw cause
      // RFC 9110 §15.6.4: the signature was not even checked.
      throw refusal('assertion_keys_unavailable', cause)
    },
  )
  // RFC 7523 §3 (9): no key of the issuer has signed it.
  if (verified === undefined) throw refusal('assertion_invalid')
  const { header, claims } = verified
  // RFC 8725 §3.11, ID-JAG §4.4.1: another kind of JWT of the same issuer is not a grant.
  if (!isGrantType(header.typ, trusted)) throw refusal('assertion_type')
  // RFC 7523 §3 (3), ID-JAG §4.4.1: it is for this server alone.
  if (!audiencesOf(deps.issuer, trusted).some((own) => isOnly(claims['aud'], own))) throw refusal('assertion_audience')
  // ID-JAG §4.4.1: it was issued for the client that presents it.
  if (trusted.profile === 'id_jag' && claims['client_id'] !== client.clientId) throw refusal('assertion_client')
  // RFC 7523 §3 (4), (5): it is current, and soon will not be.
  if (!isShortLived(claims, now, trusted.maxLifetime)) throw refusal('assertion_expired')
  const bound = readConfirmation(claims['cnf'])
  // ID-JAG §9.8: it is bound to a key that the client did not prove, or in a way that is not understood.
  if (bound === undefined || (bound.kind !== 'none' && !isSameKey(bound, possession))) throw refusal('assertion_key')
  // RFC 9396 §6: the token would permit more than the issuer has granted.
  if (claims['authorization_details'] !== undefined) throw refusal('assertion_details')
  const parsed = parseClaims(claims, now, trusted)
  // RFC 7523 §3, ID-JAG §3.1: a claim is missing or has another type.
  if (parsed === undefined) throw refusal('assertion_malformed')
  return { trusted, claims, ...parsed } as VerifiedAssertion
}

/** Reads the claims without verifying anything, to find the issuer. */
function claimsOf(assertion: string): JsonObject | undefined {
  const [, payload, signature, more] = assertion.split('.')
  if (payload === undefined || signature === undefined || more !== undefined || assertion.length > maxLength)
    return undefined
  return parseJsonObject(decodeBody(decodeBase64url(payload)) ?? '')
}

/** In characters. */
const maxLength = 8192

function isGrantType(type: string | undefined, { profile }: TrustedIssuer): boolean {
  const name = type?.toLowerCase()
  return profile === 'id_jag' ? name === idJagType : name === undefined || name === 'jwt'
}

/** The `typ` of an ID-JAG. */
export const idJagType = 'oauth-id-jag+jwt'

/** RFC 7523 §3 (3) allows the URL of the token endpoint, ID-JAG §4.4.1 does not. */
const audiencesOf = (issuer: string, { profile }: TrustedIssuer): readonly string[] =>
  profile === 'id_jag' ? [issuer] : [issuer, `${issuer}/token`]

/** A JWT for several audiences could be used by one of them at another. */
const isOnly = (aud: JsonValue | undefined, own: string): boolean =>
  aud === own || (Array.isArray(aud) && aud.length === 1 && aud[0] === own)

function parseClaims(claims: JsonObject, now: EpochSeconds, { profile }: TrustedIssuer) {
  const { sub, jti, exp, iat, scope, resource, auth_time: authTime = iat ?? now, amr = [] } = claims
  if (!isText(sub) || !isText(jti) || (profile === 'id_jag' && iat === undefined)) return undefined
  if (!isPast(authTime, now) || !isTextList(amr) || (scope !== undefined && typeof scope !== 'string')) return undefined
  const resources = typeof resource === 'string' ? [resource] : resource
  if (resources !== undefined && !isTextList(resources)) return undefined
  return {
    tokenId: jti,
    subject: sub,
    expiresAt: epochSeconds(Math.ceil(Number(exp))),
    scopes: scope?.split(' ').filter((value) => value !== ''),
    resources,
    // The `acr` of another issuer has another meaning, so that an API that asks for one gets none.
    authentication: { authTime: epochSeconds(Math.min(authTime, now)), acr: undefined, amr, sessionId: undefined },
  }
}

const isText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 1024

const isTextList = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.length <= 32 && value.every(isText)

const isPast = (time: JsonValue, now: EpochSeconds): time is number =>
  typeof time === 'number' && Number.isSafeInteger(time) && time >= 0 && time <= now + clockSkew
