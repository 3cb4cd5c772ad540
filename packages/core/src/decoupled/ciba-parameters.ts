import type { DurationSeconds, JsonObject } from '@mintmark/storage-interface'
import { seconds } from '@mintmark/storage-interface'

import type { ProfileRules } from '../clients/security-profile.ts'
import type { Parameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'

/** The maximum length of each parameter of a backchannel authentication request, in UTF-8 bytes. */
export const cibaLengths: ReadonlyMap<string, number> = new Map([
  ['scope', 8192],
  ['authorization_details', 8192],
  ['acr_values', 1024],
  ['login_hint', 1024],
  ['login_hint_token', 8192],
  ['id_token_hint', 8192],
  ['binding_message', 1024],
  ['user_code', 1024],
  ['requested_expiry', 256],
  ['client_notification_token', 4096],
])

/** The parameters of a backchannel authentication request (CIBA Core 1.0 §7.1, RFC 8707, RFC 9396). */
export const cibaParameters: ReadonlySet<string> = new Set([...cibaLengths.keys(), 'resource'])

/** How the client names the user: exactly one of three parameters (CIBA Core 1.0 §7.1). */
export interface ParsedHint {
  readonly kind: 'login_hint' | 'login_hint_token' | 'id_token_hint'
  readonly value: string
}

const hints = ['login_hint', 'login_hint_token', 'id_token_hint'] as const

/** @throws OAuthError invalid_request — reason `user_hint_count`. */
export function parseHint(parameters: Parameters): ParsedHint {
  const [hint, other] = hints.flatMap((kind) => {
    const value = parameters.get(kind)
    return value === undefined ? [] : [{ kind, value }]
  })
  // CIBA Core 1.0 §7.1: one and only one.
  if (hint === undefined || other !== undefined) throw refuse('user_hint_count')
  return hint
}

/**
 * Returns the text that the client and the host both show to the user. Invisible characters, and those that change the
 * direction of text, would let a client show something else than it says.
 * @throws OAuthError invalid_binding_message — reason `binding_message_invalid` | `binding_message_missing`.
 */
export function parseBindingMessage(
  parameters: Parameters,
  { details, profile }: { readonly details: readonly JsonObject[]; readonly profile: ProfileRules },
): string | undefined {
  const message = parameters.get('binding_message')
  // FAPI-CIBA §5.2.2: without either, a user cannot tell the request from that of an attacker.
  if (message === undefined && details.length === 0 && profile.requiresSignedBackchannelRequests)
    throw refuse('binding_message_missing')
  // CIBA Core 1.0 §7.1, §13.
  if (message !== undefined && !/^(?! +$)[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}$/u.test(message))
    throw refuse('binding_message_invalid')
  return message
}

/**
 * Returns how long the request can be decided and redeemed: as long as the client asks for, but not longer than the
 * server allows.
 * @throws OAuthError invalid_request — reason `requested_expiry_invalid`.
 */
export function parseLifetime(parameters: Parameters, longest: DurationSeconds): DurationSeconds {
  const requested = parameters.get('requested_expiry')
  if (requested === undefined) return longest
  // CIBA Core 1.0 §7.1: a positive integer.
  if (!/^0*[1-9][0-9]{0,14}$/.test(requested)) throw refuse('requested_expiry_invalid')
  return seconds(Math.min(Number(requested), longest))
}
