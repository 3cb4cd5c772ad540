import {
  after,
  type AuthorizationCodeRecord,
  type Brand,
  type EpochSeconds,
  type Storage,
} from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import type { RefreshLifetimes } from '../refresh/create-refresh-token.ts'
import { digestSecret } from '../runtime/digest.ts'
import type { CodePresentation } from './code-presentation.ts'
import { proveCodeVerifier, type ProvenVerifier } from './code-verifier.ts'
import { familyOf } from './family-of.ts'
import { isIntact } from './intact-code.ts'

/** A code that this request alone has used up, with redirect URI and verifier proven. Only `redeemCode` makes it. */
export type RedeemedCode = Brand<AuthorizationCodeRecord, 'RedeemedCode' | 'GrantEvidence'>

export interface RedeemCodeDependencies {
  readonly storage: Storage
  readonly lifetimes: RefreshLifetimes
}

/**
 * Redeems a code. It is used up first and proven afterwards: a wrong verifier has burnt it, so nobody can try twice.
 * A second valid presentation ends everything that the first one was given (RFC 6749 §4.1.2).
 * @throws OAuthError invalid_grant — reason `code_unknown` | `code_incomplete` | `code_replayed` | `redirect_uri_mismatch` |
 *   those of `proveCodeVerifier`.
 */
export async function redeemCode(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RedeemCodeDependencies,
): Promise<RedeemedCode> {
  const consumed = await deps.storage.codes.consume(await digestSecret(presentation.code), client.clientId, now)
  // RFC 6749 §5.2: unknown, expired, or another client's.
  if (consumed.outcome === 'absent') throw invalidGrant('code_unknown', client, undefined)

  const code = consumed.record
  // A store must not hand one client's code to another, nor an expired one; if it does, the code is unknown all the same.
  if (code.clientId !== client.clientId || !(now < code.expiresAt))
    throw invalidGrant('code_unknown', client, undefined)
  // What storage lost of a code is not known to be harmless (RFC 6749 §4.1.2: a code is bound to all that it was issued for).
  if (!isIntact(code)) throw invalidGrant('code_incomplete', client, code)
  // RFC 6749 §4.1.3: the code is bound to this redirect_uri; without the check a code stolen elsewhere works here.
  if (code.redirectUri !== presentation.redirectUri) throw invalidGrant('redirect_uri_mismatch', client, code)
  const proof = await proveCodeVerifier(presentation.codeVerifier, code)

  if (consumed.outcome === 'replayed') {
    await deps.storage.families.insertTombstone(
      familyOf(code, { now, expiresAt: after(now, deps.lifetimes.refreshTokenAbsolute) }),
      now,
    )
    // RFC 6749 §4.1.2.
    throw invalidGrant('code_replayed', client, code)
  }
  return redeemed(code, proof)
}

/** Nothing else makes a redeemed code; without the proof of its verifier this does not compile. */
const redeemed = (code: AuthorizationCodeRecord, _proof: ProvenVerifier): RedeemedCode => code as RedeemedCode

function invalidGrant(
  reason: RefusalReason,
  { clientId }: AuthenticatedClient,
  code: AuthorizationCodeRecord | undefined,
): OAuthError {
  const context = { clientId, userId: code?.userId, familyId: code?.familyId }
  return new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason, context })
}
