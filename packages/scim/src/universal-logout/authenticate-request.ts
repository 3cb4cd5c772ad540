import { OAuthError } from '@mintmark/core'
import type { RequestHead } from '@mintmark/core/http'
import { type RemoteKeySets, verifyIssuerJwt } from '@mintmark/core/internal'
import {
  type EpochSeconds,
  epochSeconds,
  type JsonObject,
  providerId,
  type ScimStorage,
} from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { tenantUrl } from '../values/scim-path.ts'
import { refuse } from '../error/scim-error.ts'
import type { ScimCaller, UsedAssertion } from '../providers/authenticate-provider.ts'

/** The name of the endpoint below the tenant URL. */
export const revocationPath = 'global-token-revocation'

export interface AuthenticateRevocationDependencies {
  readonly issuer: string
  readonly storage: ScimStorage
  readonly keySets: RemoteKeySets
}

/**
 * Authenticates a request for Universal Logout: the provider has signed a JWT with its own keys for this tenant URL
 * (draft-parecki-oauth-global-token-revocation; Okta sends it as a Bearer token). The endpoint checks that the token was not used before.
 * @param addressed the provider id in the URL, not validated.
 * @throws ScimError 401 — reasons `credentials_missing`, `provider_disabled`, `revocation_token_invalid`.
 */
export async function authenticateRevocation(
  request: RequestHead,
  { addressed, now }: { readonly addressed: string; readonly now: EpochSeconds },
  deps: AuthenticateRevocationDependencies,
): Promise<ScimCaller> {
  const token = bearerToken(request)
  const provider = await deps.storage.identityProviders.find(providerId(addressed))
  const assertions = provider?.assertions
  // RFC 6750 §3.1 invalid_token: the answer is the same whether the provider exists or not.
  if (provider === undefined || assertions === undefined) throw refuse('revocation_token_invalid')
  const verified = await verifyToken(token, { keys: assertions, now }, deps)
  if (verified === undefined) throw refuse('revocation_token_invalid')
  const used = acceptedToken(verified, {
    assertions,
    endpoint: `${tenantUrl(deps.issuer, addressed)}/${revocationPath}`,
    now,
  })
  if (used === undefined) throw refuse('revocation_token_invalid')
  if (provider.disabledAt !== undefined) throw refuse('provider_disabled')
  return { provider, by: { kind: 'assertion', ...used } } as ScimCaller
}

/** @throws ScimError 503 — reason `revocation_keys_unavailable`: the provider's key set could not be fetched. */
async function verifyToken(
  token: string,
  by: { readonly keys: Assertions; readonly now: EpochSeconds },
  { keySets }: AuthenticateRevocationDependencies,
) {
  try {
    return await verifyIssuerJwt(token, by, keySets)
  } catch (cause) {
    if (!(cause instanceof OAuthError)) throw cause
    // RFC 9110 §15.6.4: 401 would say that the token is wrong, and it was not even checked.
    throw refuse('revocation_keys_unavailable', { cause, retryAfter: 10 })
  }
}

function bearerToken(request: RequestHead): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: without credentials, the challenge has no error.
  if (header === undefined || header === '') throw refuse('credentials_missing')
  // RFC 6750 §2: exactly one token.
  if (request.repeatedHeaders.has('authorization')) throw refuse('credentials_twice')
  const match = /^bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(header)
  if (match?.[1] === undefined || header.length > maxLength) throw refuse('revocation_token_invalid')
  return match[1]
}

type Assertions = NonNullable<IdentityProviderRecord['assertions']>

/** Checks the claims. @returns what marks the token as used; `undefined` if a claim is not as it must be. */
function acceptedToken(
  { header, claims }: { readonly header: { readonly typ?: string | undefined }; readonly claims: JsonObject },
  expected: { readonly assertions: Assertions; readonly endpoint: string; readonly now: EpochSeconds },
): UsedAssertion | undefined {
  const { assertions, endpoint, now } = expected
  const { iss, sub, aud, exp, iat, nbf, jti, tenant } = claims
  const { revocationSubject, crossAppAccess } = assertions
  // RFC 8725 §3.11: an ID token or another assertion of the same issuer is not meant for this URL.
  if (header.typ !== undefined && !tokenTypes.has(header.typ.toLowerCase())) return undefined
  if (iss !== assertions.issuer || !isOnlyAudience(aud, endpoint)) return undefined
  // The tenants of one issuer have the same keys, and each of them chooses its audiences.
  const isOfTenant =
    revocationSubject === undefined
      ? crossAppAccess?.tenant === undefined || tenant === crossAppAccess.tenant
      : sub === revocationSubject
  if (!isOfTenant) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > 512) return undefined
  if (typeof exp !== 'number' || !(now < exp + skew && exp <= now + maxLifetime)) return undefined
  if (![iat, nbf].every((time) => time === undefined || (typeof time === 'number' && time <= now + skew)))
    return undefined
  return { tokenId: jti, expiresAt: epochSeconds(Math.ceil(exp) + skew) }
}

/** A token for several audiences could be used by one of them at another. */
const isOnlyAudience = (aud: unknown, endpoint: string): boolean =>
  aud === endpoint || (Array.isArray(aud) && aud.length === 1 && aud[0] === endpoint)

const tokenTypes = new Set(['jwt', 'global-token-revocation+jwt'])

/** In seconds. Okta's tokens are valid for five minutes. */
const maxLifetime = 3600
const skew = 60

/** In characters. */
const maxLength = 8192
