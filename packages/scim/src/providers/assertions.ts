import { isLoopbackHost } from '@mintmark/internal'
import { isKeySetUrl, isPublicKeySet, readKeySet } from '@mintmark/core/internal'
import { clientId, type JsonObject } from '@mintmark/storage-interface'
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
   * @defaultValue Any. The issuer, the keys and the audience identify the provider, and the claim `tenant` if
   *   `crossAppAccess` has one.
   */
  readonly revocationSubject?: string | undefined
  /**
   * What clients get for its ID-JAGs, with which it lets them act for its users
   * (draft-ietf-oauth-identity-assertion-authz-grant). The authorization server needs the option `crossAppAccess`.
   * @defaultValue None. Its ID-JAGs are refused.
   */
  readonly crossAppAccess?: ProviderCrossAppAccess | undefined
}

/** What clients get for the ID-JAGs of an identity provider. */
export interface ProviderCrossAppAccess {
  /** The clients that may present them. They authenticate, and are registered for the grant `…:jwt-bearer`. */
  readonly clientIds: readonly string[]
  /** The scope values that they may give, of those that an ID-JAG has. */
  readonly scopes: readonly string[]
  /** The APIs that they may be for, of those that an ID-JAG names: keys of `resources`. */
  readonly resources: readonly string[]
  /**
   * The claim `tenant` of its ID-JAGs, for a provider whose tenants share one issuer.
   * @defaultValue None. An ID-JAG with the claim is refused.
   */
  readonly tenant?: string | undefined
  /**
   * Where an ID-JAG names the user. `external_id`: its `sub` is the `externalId` that the provider has given the user by
   * SCIM. `aud_sub`: its `aud_sub` is the identifier of the user at this server.
   * @defaultValue `external_id`. Providers send the same identifier by SCIM.
   */
  readonly subject?: 'external_id' | 'aud_sub' | undefined
  /**
   * How often an ID-JAG is accepted. With `until_expiry`, the same client may present it again, at most ten times a minute.
   * @defaultValue `until_expiry`. It replaces a refresh token, and everything is checked each time.
   */
  readonly reuse?: 'until_expiry' | 'once' | undefined
}

/**
 * Returns the stored form of the issuer and the keys of a provider; `undefined` when they are not valid: the issuer must be an https
 * URL without a query and a fragment, exactly one of `jwksUri` and `jwks` must be set, to public keys, and cross-app access needs a client.
 */
export function checkedAssertions(given: ProviderAssertions): Assertions {
  const { issuer, jwksUri, jwks, revocationSubject, crossAppAccess: access } = given
  const hasKeys =
    jwksUri === undefined
      ? isPublicKeySet(readKeySet(jwks))
      : jwks === undefined && isShortText(jwksUri) && isKeySetUrl(jwksUri)
  const isSubject = revocationSubject === undefined || isShortText(revocationSubject)
  const crossAppAccess = access && checkedCrossAppAccess(access)
  if (!hasKeys || !isSubject || !isIssuerUrl(issuer) || (access && !crossAppAccess)) return undefined
  return { issuer, jwksUri, jwks, revocationSubject, crossAppAccess }
}

function checkedCrossAppAccess(given: ProviderCrossAppAccess): NonNullable<Assertions>['crossAppAccess'] {
  const { clientIds, scopes, resources, tenant, subject = 'external_id', reuse = 'until_expiry' } = given
  const lists = [clientIds, scopes, resources]
  const isUsable = lists.every((list) => list.length <= 200 && list.every(isShortText)) && clientIds.length > 0
  if (!isUsable || (tenant !== undefined && !isShortText(tenant))) return undefined
  return { tenant, subject, clientIds: clientIds.map(clientId), scopes, resources, reuse }
}

type Assertions = IdentityProviderRecord['assertions']

function isIssuerUrl(text: string): boolean {
  if (!isShortText(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, search, hash } = new URL(text)
  return (protocol === 'https:' || isLoopbackHost(hostname)) && username === '' && search === '' && hash === ''
}

const isShortText = (text: string): boolean => text.length > 0 && text.length <= 512 && /^[\x21-\x7e]*$/.test(text)
