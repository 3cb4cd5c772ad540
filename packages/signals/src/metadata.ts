import { json, type ServerResponse } from '@mintmark/internal'

import { deliveryMethods } from './stream-configuration.ts'
import type { TransmitterDependencies } from './transmitter-context.ts'

/**
 * The scope values with which receivers manage their streams. Add them to `scopes` of `createAuthorizationServer`, and give them only
 * to clients that may receive events about every user.
 */
export const signalScopes = {
  'ssf.manage': 'Create, change and remove a stream of security events, and receive them',
  'ssf.read': 'Read the configuration of a stream of security events',
} as const

/** The transmitter configuration (SSF 1.0 §7.1). */
export function transmitterConfiguration({ issuer, basePath }: TransmitterDependencies): ServerResponse {
  const { origin } = new URL(issuer)
  const at = (name: string): string => origin + basePath + name
  return json(200, {
    spec_version: '1_0',
    issuer,
    jwks_uri: `${issuer}/jwks`,
    delivery_methods_supported: deliveryMethods,
    configuration_endpoint: at('streams'),
    status_endpoint: at('status'),
    add_subject_endpoint: at('subjects/add'),
    remove_subject_endpoint: at('subjects/remove'),
    verification_endpoint: at('verify'),
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  })
}

/**
 * Where receivers find `resourceMetadata` (RFC 9728 §3.1). The resource is the issuer, because the transmitter accepts access
 * tokens whose audience is the issuer.
 */
export function resourceMetadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
}

/** The protected resource metadata (RFC 9728 §2; CAEP Interop §2.7.2): receivers find the authorization server and scopes. */
export const resourceMetadata = ({ issuer }: TransmitterDependencies): ServerResponse =>
  json(200, {
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: Object.keys(signalScopes),
    bearer_methods_supported: ['header'],
    resource_name: 'Security events',
  })
