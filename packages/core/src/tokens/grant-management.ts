import { type Clock, type Endpoint, json, noStore, type ServerRequest, withHeaders } from '@mintmark/internal'
import {
  grantId,
  type EpochSeconds,
  type GrantRecord,
  type JsonObject,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import type { GrantStatus } from '@mintmark/storage-interface/stores'

import { grantManagementScopes, type ScopeRegistry } from '../permissions/scopes.ts'
import type { Journal } from '../events.ts'
import { refuse } from '../refusals.ts'
import type { VerifiedProof } from '../sender/prove-possession.ts'
import type { ResourceRegistry } from '../permissions/resources.ts'
import { statusOfAccessToken } from './access-token.ts'
import { type PresentedTokenDependencies, verifyPresentedToken } from './presented-token.ts'
import { type Active, isGrantActive } from '../permissions/status.ts'

export interface GrantsEndpointDependencies extends PresentedTokenDependencies {
  readonly storage: OAuthStorage
  readonly clock: Clock
  readonly journal: Journal
  readonly scopes: ScopeRegistry
  readonly resources: ResourceRegistry
}

/**
 * `GET` and `DELETE /grants/{grant_id}` (Grant Management §6): a client queries and revokes its grants. A token that
 * the client holds for itself gives access to all of its grants; a user's token gives access to that user's grant.
 */
export function grantsEndpoint(
  address: string,
  deps: GrantsEndpointDependencies,
): { readonly query: Endpoint; readonly revoke: Endpoint } {
  return {
    async query(request) {
      const now = deps.clock()
      const { grant, proof } = await findAuthorizedGrant(request, { address, action: 'query', now }, deps)
      deps.journal.record(request, { type: 'grant.queried', ...identifiersOf(grant) })
      return json(200, describeGrant(grant, deps), [...noStore, ...(await proofHeaders(proof, now, deps))])
    },
    async revoke(request) {
      const now = deps.clock()
      const { grant, proof } = await findAuthorizedGrant(request, { address, action: 'revoke', now }, deps)
      // Grant Management §6.5: every token depends on its grant, so revoking the row revokes them too.
      const revoked = await deps.storage.grants.revoke(grant.grantId, now)
      if (revoked.outcome === 'revoked')
        deps.journal.record(request, { type: 'grant.revoked', ...identifiersOf(grant) })
      const response = { status: 204, headers: noStore, body: undefined }
      return withHeaders(response, await proofHeaders(proof, now, deps))
    },
  }
}

const identifiersOf = ({ clientId, userId, grantId: id }: GrantRecord) => ({ clientId, userId, grantId: id })

const proofHeaders = async (
  proof: VerifiedProof | undefined,
  now: EpochSeconds,
  { dpop }: GrantsEndpointDependencies,
) => (proof === undefined ? [] : dpop.headers(proof, now))

/**
 * Finds the active grant that the address names, if the access token may manage it.
 * @throws OAuthError insufficient_scope — reason `grant_query_not_granted` | `grant_revocation_not_granted`;
 *   access_denied — reason `client_public`; invalid_grant_id — reason `grant_unknown`; the errors of
 *   `verifyPresentedToken`.
 */
async function findAuthorizedGrant(
  request: ServerRequest,
  call: { readonly address: string; readonly action: keyof typeof grantManagementScopes; readonly now: EpochSeconds },
  deps: GrantsEndpointDependencies,
): Promise<{ readonly grant: GrantRecord; readonly proof: VerifiedProof | undefined }> {
  const { address, action, now } = call
  const idInPath = request.url.pathname.slice(new URL(address).pathname.length + 1)
  const endpoint = { url: `${address}/${idInPath}`, scopes: Object.values(grantManagementScopes), now }
  const { token, proof } = await verifyPresentedToken(request, endpoint, deps)
  const status = await statusOfAccessToken(token, now, deps.storage)
  const { clientId, familyId } = token
  if (status === undefined) throw refuse('access_token_inactive', { clientId, familyId })
  const client = status.kind === 'user' ? status.family.client : status.client
  const context = { clientId: client.clientId }
  // Grant Management §6.1: each action has its scope.
  if (!status.scopes.includes(grantManagementScopes[action]))
    throw refuse(action === 'query' ? 'grant_query_not_granted' : 'grant_revocation_not_granted', {
      ...context,
      grantedScopes: status.scopes,
    })
  // Grant Management §5.1: only confidential clients.
  if (client.tokenEndpointAuthMethod === 'none') throw refuse('client_public_grant_management', context)

  const found = await deps.storage.status.ofGrant(grantId(idInPath))
  const owner = status.kind === 'user' ? status.family.user.userId : undefined
  // Grant Management §6.6: the same error for grants of others as for unknown grants, so that nobody learns which
  // exist.
  if (!isActiveGrantOf(found, context) || (owner !== undefined && found.user.userId !== owner))
    throw refuse('grant_unknown', context)
  return { grant: found.grant, proof }
}

const isActiveGrantOf = (
  found: GrantStatus | undefined,
  { clientId }: Pick<GrantRecord, 'clientId'>,
): found is Active<GrantStatus> => isGrantActive(found) && found.grant.clientId === clientId

/** Describes what a grant permits (Grant Management §6.4), without details that a user approves each time. */
function describeGrant(
  { scopes, resources, authorizationDetails }: GrantRecord,
  deps: Pick<GrantsEndpointDependencies, 'scopes' | 'resources'>,
): JsonObject {
  const resourceEntries = resources.flatMap((uri) => {
    const understood = scopes.filter((scope) => deps.resources.get(uri)?.scopes.includes(scope) === true)
    return understood.length === 0 ? [] : [{ scope: understood, resource: [uri] }]
  })
  const others = scopes.filter((scope) => !resourceEntries.some((entry) => entry.scope.includes(scope)))
  const entries = others.length === 0 ? resourceEntries : [...resourceEntries, { scope: others }]
  return {
    scopes: entries.map((entry) => ({ ...entry, scope: entry.scope.join(' ') })),
    claims: [...new Set(scopes.flatMap((scope) => deps.scopes.get(scope)?.claims ?? []))],
    authorization_details: authorizationDetails,
  }
}
