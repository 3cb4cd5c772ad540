import { isSameResource } from '@mintmark/internal'
import type { Brand } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import type { ProfileSettings } from '../../clients/security-profile.ts'
import { computeTokenClaims, type ClaimsDependencies } from '../../tokens/claims.ts'
import { organizationOfClient } from '../../permissions/organization.ts'
import { splitAtSpaces } from '../../parameters.ts'
import { allowedScopes } from '../../permissions/scopes.ts'
import { refuse } from '../../refusals.ts'
import { defineGrant, type GrantType } from '../../tokens/grant.ts'
import {
  requestedResources,
  resolveTarget,
  type TokenTarget,
  type TokenTargetDependencies,
  usableScopes,
} from '../../permissions/resources.ts'

/** A confidential client that requests a token for itself. Only `proveServiceAccount` creates this value. */
type ServiceAccount = Brand<AuthenticatedClient, 'ServiceAccount' | 'GrantEvidence'>

/** Creates the client credentials grant (RFC 6749 §4.4): an access token for the client itself, and nothing else. */
export const clientCredentialsGrant = (
  deps: TokenTargetDependencies & ClaimsDependencies & ProfileSettings,
): GrantType =>
  defineGrant({
    grantType: 'client_credentials',
    async decide(form, { client, possession }) {
      const evidence = proveServiceAccount(client)
      // RFC 9396 §6: the parameter is not ignored, because the client would believe that its token is narrower than it
      // is.
      if (form.get('authorization_details') !== undefined)
        throw refuse('details_without_user', { clientId: client.clientId })
      const requested = form.get('scope')
      const allowed = serviceScopes(requested, client, deps)
      const request = { named: form.all('resource'), requested, allowed, client }
      const target = issuerAsTarget(request, deps) ?? requestedTarget(request, deps)
      const organization = await organizationOfClient(client, deps.storage)
      const subject = { ...target, client, user: undefined, claimsRequest: undefined, organization }
      const claims = await computeTokenClaims(subject, deps)
      return { evidence, client, possession, target, forUser: undefined, refreshToken: undefined, claims }
    },
  })

interface TargetRequest {
  /** The resources that the request names. */
  readonly named: readonly string[]
  readonly requested: string | undefined
  readonly allowed: readonly string[]
  readonly client: AuthenticatedClient
}

/**
 * The target of a request that names the issuer (RFC 8707 §2): the metadata of a service beside this server, such as the
 * transmitter of security events, names it. Scope values of APIs are dropped.
 * @returns `undefined` for any other request, and when every scope value belongs to an API.
 */
function issuerAsTarget(
  { named, allowed, client }: TargetRequest,
  deps: TokenTargetDependencies,
): TokenTarget | undefined {
  const apis = [...deps.resources.values()]
  const scopes = allowed.filter((scope) => !apis.some((api) => api.scopes.includes(scope)))
  if (named.length === 0 || scopes.length === 0 || !named.every((uri) => isSameResource(uri, deps.issuer)))
    return undefined
  return { ...resolveTarget({ scopes, resources: [], client }, deps), audience: [deps.issuer] }
}

/** The target of any other request. */
function requestedTarget({ named, requested, allowed, client }: TargetRequest, deps: TokenTargetDependencies) {
  const resources = requestedResources({ named, scopes: allowed, client }, deps)
  // `usableScopes` refuses a request if the resources have none of the scope values that it names. A request without
  // `scope` names none: `resolveTarget` gives it those of the client that belong to the resources, if there are any.
  const scopes = requested === undefined ? allowed : usableScopes(allowed, { resources }, deps)
  return resolveTarget({ scopes, resources, client }, deps)
}

function proveServiceAccount(client: AuthenticatedClient): ServiceAccount {
  // RFC 6749 §4.4: only confidential clients; a public client is not authenticated.
  if (client.tokenEndpointAuthMethod === 'none') throw refuse('client_public_grant', { clientId: client.clientId })
  return client as ServiceAccount
}

/** Returns the requested scope values that the client may have, or all of the client's. Identity scopes are excluded, since there is no user. */
function serviceScopes(
  requested: string | undefined,
  client: AuthenticatedClient,
  deps: ProfileSettings & { readonly identityScopes: ReadonlySet<string> },
): readonly string[] {
  const allowed = client.scopes.filter((scope) => !deps.identityScopes.has(scope))
  if (requested === undefined) return allowed
  const scopes = splitAtSpaces(requested)
  // RFC 6749 §5.2: invalid_scope.
  if (scopes.length === 0) throw refuse('scope_missing')
  return allowedScopes(scopes, { client, allowed }, deps)
}
