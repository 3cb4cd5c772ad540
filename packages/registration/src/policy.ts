import type { ClientRegistration } from '@mintmark/core'
import { hostOrScheme } from '@mintmark/core/internal'
import { digestSecret } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { RegistrationError } from './refusals.ts'

/**
 * The limits for a registration. Each initial access token and each trusted issuer of software statements has its own.
 */
export interface RegistrationPolicy {
  readonly grantTypes: readonly string[]
  readonly scopes: readonly string[]
  /** The hosts of the client's addresses, and the schemes of a native app; an empty list allows all of them. */
  readonly redirectHosts: readonly string[]
}

/** The permission to change a registration, stored with a client that registered itself. */
export interface SelfManagement extends JsonObject {
  readonly tokenDigest: string
  readonly grantTypes: readonly string[]
  readonly scopes: readonly string[]
  readonly redirectHosts: readonly string[]
  /** The issuer of the software statement of the registration, which must also sign changes. `null` for none. */
  readonly statementIssuer: string | null
  /** The members of that statement. Its issuer vouches for them, and for nothing else in the registration. */
  readonly statementMembers: readonly string[]
}

/**
 * Limits a registration to the policy. Scope values and grant types beyond the policy are left out, as RFC 7591 §2 allows,
 * and the response shows what is left (§3.2.1). Everything else beyond the policy is refused, because the client would not work without it.
 * @throws RegistrationError metadata_invalid | redirect_uri_invalid.
 */
export function limitRegistration(
  requested: ClientRegistration,
  { grantTypes, scopes, redirectHosts }: RegistrationPolicy,
): ClientRegistration {
  const requestedTypes = requested.grantTypes ?? ['authorization_code']
  const grantedTypes = requestedTypes.filter((name) => grantTypes.includes(name))
  // RFC 7591 §3.2.2.
  if (grantedTypes.length === 0 && requestedTypes.length > 0)
    throw new RegistrationError('metadata_invalid', {
      description: `grant_types must contain at least one of these values: ${grantTypes.join(', ')}.`,
    })
  const granted = requested.scopes === undefined ? scopes : scopes.filter((scope) => requested.scopes?.includes(scope))
  if (granted.length === 0)
    throw new RegistrationError('metadata_invalid', {
      description: `scope must contain at least one of these values: ${scopes.join(' ')}.`,
    })

  requireHosts(requested, redirectHosts)
  return { ...requested, grantTypes: grantedTypes, scopes: granted }
}

function requireHosts(requested: ClientRegistration, hosts: readonly string[]): void {
  if (hosts.length === 0) return
  const isAllowed = (uri: string): boolean => hosts.includes(hostOrScheme(uri) ?? '')
  const { redirectUris = [], postLogoutRedirectUris = [], backchannelLogoutUri, frontchannelLogoutUri } = requested
  const { sectorIdentifierUri } = requested
  // RFC 7591 §5: a redirect URI of somebody else would receive the codes.
  if (!redirectUris.every(isAllowed))
    throw new RegistrationError('redirect_uri_invalid', {
      description: `The hosts of redirect_uris may only be ${hosts.join(', ')}.`,
    })
  const others = [...postLogoutRedirectUris, backchannelLogoutUri, frontchannelLogoutUri]
  if (!others.every((uri) => uri === undefined || isAllowed(uri)))
    throw new RegistrationError('metadata_invalid', {
      description: `The hosts of logout URIs may only be ${hosts.join(', ')}.`,
    })
  // OIDC Core §8.1: the host of this address decides which clients get the same user identifiers.
  if (sectorIdentifierUri !== undefined && !isAllowed(sectorIdentifierUri))
    throw new RegistrationError('metadata_invalid', {
      description: `The host of sector_identifier_uri may only be ${hosts.join(', ')}.`,
    })
}

/**
 * Creates the permission to change a registration within the policy of the registration. Stores only a digest of the
 * token.
 */
export async function permitChanges(
  { grantTypes, scopes, redirectHosts }: RegistrationPolicy,
  issued: {
    readonly registrationToken: string
    readonly statement: { readonly issuer: string; readonly members: readonly string[] } | undefined
  },
): Promise<SelfManagement> {
  const tokenDigest = await digestSecret(issued.registrationToken)
  const { issuer: statementIssuer = null, members: statementMembers = [] } = issued.statement ?? {}
  return { tokenDigest, grantTypes, scopes, redirectHosts, statementIssuer, statementMembers }
}
