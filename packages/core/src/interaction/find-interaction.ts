import type { EpochSeconds } from '@mintmark/storage-interface'

import { parseAuthorizationRequest, type AuthorizationRequestRules } from '../authorization/authorization-request.ts'
import { identifyClient } from '../authorization/identify-client.ts'
import { verifyRedirect } from '../authorization/verify-redirect.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { ServerRequest } from '../http/index.ts'
import { indexParameters } from '../parameters/parameters.ts'
import { digestSecret } from '../runtime/digest.ts'
import { readBrowser } from './browser-binding.ts'
import type { CompleteInteractionDependencies } from './complete-interaction.ts'
import { pendingInteraction, type PendingInteraction } from './pending-interaction.ts'
import { requireSameOrigin } from './same-origin.ts'

export interface FindInteractionDependencies extends CompleteInteractionDependencies {
  readonly rules: AuthorizationRequestRules
}

/**
 * Finds the interaction that a request to the host's page belongs to: its handle is in the query, its browser in the
 * cookie. The stored request is proven anew, so a client that was disabled meanwhile gets no further.
 * @throws OAuthError access_denied — reason `cross_site_post`; invalid_request — reason `interaction_unknown`: expired,
 *   completed, or another browser's; and what the proofs of an authorization request throw.
 */
export async function findInteraction(
  request: ServerRequest,
  now: EpochSeconds,
  deps: FindInteractionDependencies,
): Promise<PendingInteraction> {
  requireSameOrigin(request)
  const handle = request.url.searchParams.get('interaction') ?? ''
  const browser = await readBrowser(request, deps.browserCookie)
  const digest = await digestSecret(handle)
  const record = browser === undefined ? undefined : await deps.storage.interactions.find(digest, browser, now)
  // Without this, whoever sees the address could finish another person's sign-in (RFC 9700 §4.7).
  if (record === undefined || record.browserDigest !== browser || !(now < record.expiresAt)) throw unknownInteraction()

  const resources = record.resources.map((resource) => ['resource', resource] as const)
  const parameters = indexParameters([...Object.entries(record.parameters), ...resources])
  const client = await identifyClient(parameters, deps.storage)
  const redirect = verifyRedirect(parameters, client)
  const authorization = await parseAuthorizationRequest(parameters, { client, redirect }, deps.rules)
  return pendingInteraction({ http: request, handle, record, request: authorization, now }, deps)
}

const unknownInteraction = (): OAuthError =>
  new OAuthError('invalid_request', 'This sign-in is over, has expired, or was started in another browser.', {
    reason: 'interaction_unknown',
  })
