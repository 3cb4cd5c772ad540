import { OAuthError } from '../error/oauth-error.ts'
import { RedirectableError } from '../authorization/redirectable-error.ts'
import type { AuthorizationRequest } from '../authorization/authorization-request.ts'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { SignedInUser } from '../sessions/signed-in-user.ts'

/** Who came to the authorization endpoint or back from the host's page. */
export interface Arrival {
  readonly person: SignedInUser
  /** When the interaction started in which the person signed in; `undefined` when they come with an older session. */
  readonly startedAt: EpochSeconds | undefined
}

/**
 * Whether the person must sign in (again) before the request can go on (OIDC Core §3.1.2.3).
 * @throws RedirectableError unmet_authentication_requirements — reason `acr_unmet`: they have just signed in, and not in
 *   a way that the client insists on.
 */
export function needsLogin(request: AuthorizationRequest, arrival: Arrival, now: EpochSeconds): boolean {
  const { authentication, user } = arrival.person
  const isFresh = arrival.startedAt !== undefined && authentication.authTime >= arrival.startedAt
  // OIDC Core §3.1.2.2: the client means a certain person; somebody else's session does not do.
  if (request.subjects?.includes(user.userId) === false) return true
  // OIDC Core §5.5.1.1: an essential acr that cannot be met fails; one that may still be met is worth a sign-in.
  if (isUnmet(request, authentication.acr)) {
    if (isFresh) throw unmetAuthentication(request)
    return true
  }
  return !isFresh && isTooOld(request, arrival, now)
}

function isTooOld(request: AuthorizationRequest, { person, startedAt }: Arrival, now: EpochSeconds): boolean {
  // OIDC Core §3.1.2.1: prompt=login asks again whoever is signed in; select_account is answered by any choice in the interaction.
  if (request.prompt.has('login')) return true
  if (request.prompt.has('select_account') && startedAt === undefined) return true
  // OIDC Core §3.1.2.1: max_age=0 asks as prompt=login does.
  return request.maxAge !== undefined && (request.maxAge === 0 || now - person.authentication.authTime > request.maxAge)
}

function isUnmet(request: AuthorizationRequest, acr: string | undefined): boolean {
  if (request.essentialAcr === undefined) return false
  return acr === undefined || (request.essentialAcr.length > 0 && !request.essentialAcr.includes(acr))
}

const unmetAuthentication = (request: AuthorizationRequest): RedirectableError =>
  new RedirectableError(
    new OAuthError('unmet_authentication_requirements', 'The sign-in does not meet what the request demands.', {
      reason: 'acr_unmet',
    }),
    request.target,
  )
