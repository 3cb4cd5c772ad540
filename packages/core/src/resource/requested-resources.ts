import { OAuthError } from '../error/oauth-error.ts'
import type { ResourceRegistry } from './resource.ts'

/**
 * The resources that a request names, each registered (RFC 8707 §2). Identifiers are compared character by character.
 * @throws OAuthError invalid_target — reason `resource_unknown`, also for what is not an absolute URI without fragment,
 *   since no such URI can be registered, and for a list of more than 32.
 */
export function requestedResources(values: readonly string[], registry: ResourceRegistry): readonly string[] {
  // RFC 8707 §2: invalid_target when the resource is unknown or malformed.
  if (values.length > maxResources || values.some((uri) => !registry.has(uri))) {
    throw new OAuthError('invalid_target', 'A requested resource is not known to this server.', {
      reason: 'resource_unknown',
    })
  }
  return [...new Set(values)]
}

/**
 * The resources for one access token: those that the token request names, of the granted ones, or all granted ones.
 * @throws OAuthError invalid_target — reason `resource_not_granted`.
 */
export function narrowResources(values: readonly string[], granted: readonly string[]): readonly string[] {
  if (values.length === 0) return granted
  // RFC 8707 §2.2: the token request may only pick from what the authorization request was granted.
  if (values.some((uri) => !granted.includes(uri))) {
    throw new OAuthError('invalid_target', 'A requested resource was not granted.', { reason: 'resource_not_granted' })
  }
  return [...new Set(values)]
}

/** More audiences than an access token should have: each of them could use it at the others (RFC 8707 §3). */
const maxResources = 32
