import { isLoopbackHost } from '@mintmark/internal'
import { isOutboundUrl, isPublicKeySet, readKeySet } from '@mintmark/core/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

/** How an identity provider signs its requests and assertions about users: its own issuer and its own keys. */
export interface ProviderAssertions {
  /** The `iss` of what it signs, such as `https://acme.okta.com`: an https URL. */
  readonly issuer: string
  /**
   * The https URL of its key set, such as `https://acme.okta.com/oauth2/v1/keys`.
   * @defaultValue None. Then `jwks` has the keys.
   */
  readonly jwksUri?: string | undefined
  /**
   * Its public keys, as a JWK set (RFC 7517 §5).
   * @defaultValue None. Then they are read from `jwksUri`.
   */
  readonly jwks?: JsonObject | undefined
  /**
   * The `sub` that its requests for Universal Logout must have.
   * @defaultValue Any. The issuer, the keys and the audience identify the provider.
   */
  readonly revocationSubject?: string | undefined
}

/**
 * Returns the stored form of the issuer and the keys of a provider; `undefined` when they are not valid: the issuer must be an https
 * URL without a query and a fragment, and exactly one of `jwksUri` and `jwks` must be set, to public keys.
 */
export function checkedAssertions(given: ProviderAssertions): IdentityProviderRecord['assertions'] {
  const { issuer, jwksUri, jwks, revocationSubject } = given
  const hasKeys = jwksUri === undefined ? isPublicKeySet(readKeySet(jwks)) : jwks === undefined && isKeySetUrl(jwksUri)
  const isSubject = revocationSubject === undefined || isShortText(revocationSubject)
  return hasKeys && isSubject && isIssuerUrl(issuer) ? { issuer, jwksUri, jwks, revocationSubject } : undefined
}

/** Loopback is for development: it is fetched only if the host allows it. */
const isKeySetUrl = (text: string): boolean =>
  isShortText(text) && (isOutboundUrl(text) || (URL.canParse(text) && isLoopbackHost(new URL(text).hostname)))

function isIssuerUrl(text: string): boolean {
  if (!isShortText(text) || !URL.canParse(text)) return false
  const { protocol, username, search, hash } = new URL(text)
  return protocol === 'https:' && username === '' && search === '' && hash === ''
}

const isShortText = (text: string): boolean => text.length > 0 && text.length <= 512 && /^[\x21-\x7e]*$/.test(text)
