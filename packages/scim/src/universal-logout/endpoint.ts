import type { ServerResponse } from '@mintmark/core/http'
import type { RateLimiter } from '@mintmark/core'
import type { Journal } from '@mintmark/internal'
import type { ScimStorage } from '@mintmark/storage-interface'

import type { ScimCall, ScimCollection } from '../call/scim-call.ts'
import { emptyResponse, readMessage } from '../call/scim-message.ts'
import { refuse } from '../error/scim-error.ts'
import type { RevocationLister, ScimOccurrence } from '../event/scim-event.ts'
import type { ProvisioningHooks } from '../users/user-dependencies.ts'
import { findSubject, readSubject } from './find-subject.ts'

interface UniversalLogoutDependencies {
  readonly issuer: string
  readonly storage: ScimStorage
  readonly journal: Journal<ScimOccurrence>
  readonly listRevokedAccess: RevocationLister
  readonly hooks: Pick<ProvisioningHooks, 'mayChange'>
  /** Counts the users that each provider signs out. */
  readonly limiter: RateLimiter
}

/**
 * Universal Logout (draft-parecki-oauth-global-token-revocation): an identity provider ends all sessions and tokens of one of its
 * users, who stays active and can sign in again.
 */
export const universalLogoutRoutes = (deps: UniversalLogoutDependencies): ScimCollection => ({
  collection: { POST: (call) => revokeAccess(call, deps) },
})

async function revokeAccess(call: ScimCall, deps: UniversalLogoutDependencies): Promise<ServerResponse> {
  const { issuer, storage, limiter, hooks } = deps
  const { caller, now, request } = call
  const { provider, by } = caller
  const { providerId } = provider
  const subject = readSubject(await readMessage(call))
  // RFC 6585 §4: a stolen key of a provider must not sign everybody out at once.
  const decision = await limiter.consume(`universal-logout ${providerId}`, now)
  if (!decision.allowed) throw refuse('too_many_requests', { retryAfter: decision.retryAfter })

  const providerIssuer = provider.assertions?.issuer
  const userId = await findSubject(subject, { provider, providerIssuer, issuer, storage })
  // The users of other providers are not revealed.
  if (userId === undefined) throw refuse('revocation_subject_unknown')
  const user = await storage.users.find(userId)
  const change = { providerId, userId, kind: 'revoke_access', claims: user?.claims } as const
  if ((await hooks.mayChange?.(change)) === false) throw refuse('revocation_protected')
  if (by.kind === 'assertion') {
    const value = JSON.stringify([providerId, by.tokenId])
    const mark = { purpose: 'revocation_jti', value, expiresAt: by.expiresAt, now } as const
    if ((await storage.replays.markUsed(mark)).outcome !== 'fresh') throw refuse('revocation_token_replayed')
  }
  const revoked = user && (await deps.listRevokedAccess(user, now))
  const { outcome } = await storage.users.revokeAccess(userId, now)
  // The user was removed since they were found, and with the user everything issued to them.
  if (outcome === 'absent') throw refuse('revocation_subject_unknown')
  deps.journal.record(request, { type: 'user.access_revoked', providerId, userId, revoked })
  return emptyResponse()
}
