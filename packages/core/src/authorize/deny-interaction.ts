import { noStore, type ServerRequest, type ServerResponse } from '@mintmark/internal'
import { type OAuthStorage, userId } from '@mintmark/storage-interface'

import { unverifiedDevice } from '../clients/unverified-host.ts'
import { withdrawConsent } from '../consent/consent.ts'
import { refuse } from '../refusals.ts'
import { requireNavigation } from '../sessions/browser.ts'
import type { SignedIn } from '../sessions/signed-in-user.ts'
import { consumeForDenial } from './consume-interaction.ts'
import { denyDecoupled } from './decoupled-request.ts'
import type { CompleteInteractionDependencies, InteractionStep } from './interaction-step.ts'
import { type DecoupledRequest, isDecoupled, type UserRequest } from './request.ts'
import { authorizationErrorResponse } from './response.ts'

/**
 * Denies the request on behalf of the user. Earlier consent to what was on the page is removed, so that the next request
 * asks again (OIDC Core §3.1.2.4).
 */
export async function denyInteraction(
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  const { user, request } = step
  const denied = await cancelInteraction(step, deps)
  if (user !== undefined)
    await withdrawConsent({ clientId: request.client.clientId, signedInUser: user, shown: shownOf(request) }, deps)
  return denied
}

/**
 * Denies the request and leaves earlier consent as it is. Consumes the interaction, unless nobody has signed in: people
 * who have not signed in must not create rows in storage.
 */
export async function cancelInteraction(
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  requireNavigation(step.http)
  const { user } = step
  const denial = { reason: 'user_denied', userId: user?.user.userId } as const
  if (user !== undefined || step.isStored) return consumeAndDeny(denial, step, deps)
  recordDenial(denial, step, deps)
  return denialResponse(denial, step, deps)
}

/** Returns what a consent page shows. */
export const shownOf = ({ consentScopes, consentResources, details }: UserRequest) => ({
  scopes: consentScopes,
  resources: consentResources,
  authorizationDetails: details,
})

/**
 * Consumes the interaction, and returns a denial to the client: by the user, or because the user is unknown or not
 * active.
 */
export async function consumeAndDeny(
  denial: Denial,
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  if (await consumeForDenial(step, deps)) recordDenial(denial, step, deps)
  return denialResponse(denial, step, deps)
}

export interface Denial {
  readonly reason: 'user_denied' | 'user_inactive' | 'user_unknown'
  /** Undefined if nobody has signed in. */
  readonly userId: string | undefined
}

/**
 * Finds out whether the user is unknown or deactivated. Events contain the reason, and a deactivated user sees a page.
 */
export const findDenialReason = async ({ subject }: SignedIn, storage: OAuthStorage): Promise<Denial['reason']> =>
  (await storage.users.find(userId(subject))) === undefined ? 'user_unknown' : 'user_inactive'

export async function denialResponse(
  denial: Denial,
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<ServerResponse> {
  const { request, http, now } = step
  if (isDecoupled(request)) {
    await denyDecoupled(request, now, deps)
    return answerDecoupled({ decision: 'denied', userId: denial.userId }, request, { http, deps })
  }
  // RFC 6749 §4.1.2.1: access_denied.
  return authorizationErrorResponse(refuse(denial.reason), request.target, { ...deps, now })
}

export const recordDenial = (
  denial: Denial,
  { http, request }: InteractionStep,
  { journal }: CompleteInteractionDependencies,
): void => journal.record(http, { type: 'interaction.denied', clientId: request.client.clientId, ...denial })

/** Reports what the user decided about a request from another device, and tells the user to return to it. */
export function answerDecoupled(
  decided: {
    readonly decision: 'approved' | 'denied'
    readonly userId: string | undefined
    readonly grantId?: string
    readonly scopes?: readonly string[]
  },
  request: DecoupledRequest,
  { http, deps }: { readonly http: ServerRequest; readonly deps: CompleteInteractionDependencies },
): ServerResponse {
  const { client, target } = request
  const { clientId, clientName } = client
  deps.journal.record(http, { type: 'request.decided', kind: target.record.kind, clientId, ...decided })
  // The option was removed while the user decided. The client learns of the decision anyway.
  if (deps.device === undefined) return { status: 204, headers: noStore, body: undefined }
  const shown = { clientId, clientName, unverifiedHost: unverifiedDevice(client) }
  return deps.device.renderPage({ kind: decided.decision, status: 200, client: shown }, http)
}
