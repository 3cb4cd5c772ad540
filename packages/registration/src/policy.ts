import type { ClientRegistration } from '@mintmark/core'
import { hostOrScheme } from '@mintmark/core/internal'
import { digestSecret } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { addressMembers } from './metadata.ts'
import { refuse } from './refusals.ts'

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
    throw refuse('metadata_invalid', {
      description: `grant_types must contain at least one of these values: ${grantTypes.join(', ')}.`,
    })
  const granted = requested.scopes === undefined ? scopes : scopes.filter((scope) => requested.scopes?.includes(scope))
  if (granted.length === 0)
    throw refuse('metadata_invalid', {
      description: `scope must contain at least one of these values: ${scopes.join(' ')}.`,
    })

  requireHosts(requested, redirectHosts)
  return { ...requested, grantTypes: grantedTypes, scopes: granted }
}

function requireHosts(requested: ClientRegistration, hosts: readonly string[]): void {
  if (hosts.length === 0) return
  const found = addressesOf(requested).find(({ uri }) => !hosts.includes(hostOrScheme(uri) ?? ''))
  // RFC 7591 §5: a redirect URI of somebody else would receive the codes, and the consent page links to the others.
  if (found !== undefined)
    throw refuse(found.name === 'redirect_uris' ? 'redirect_uri_invalid' : 'metadata_invalid', {
      description: `The hosts of ${found.name} may only be ${hosts.join(', ')}.`,
    })
}

/** Returns every address in the metadata, with the name of its member. */
function addressesOf(requested: ClientRegistration): readonly { readonly name: string; readonly uri: string }[] {
  const values = new Map<string, unknown>(Object.entries(requested))
  return addressMembers.flatMap(({ name, wireName }) =>
    [values.get(name)].flat().flatMap((uri) => (typeof uri === 'string' ? [{ name: wireName, uri }] : [])),
  )
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
