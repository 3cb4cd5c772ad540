import { OAuthError, type OAuthErrorCode } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'

/**
 * Refuses parameters that change the meaning of a request in a way that this server does not support.
 * @throws OAuthError request_not_supported | request_uri_not_supported | registration_not_supported — reason `parameter_unsupported`.
 */
export function refuseUnsupported(parameters: Parameters): void {
  for (const [name, code] of unsupportedParameters) {
    if (parameters.get(name) === undefined) continue
    // OIDC Core §3.1.2.6: refused by a code of its own, never silently ignored.
    throw new OAuthError(code, 'The request uses a parameter that is not supported.', {
      reason: 'parameter_unsupported',
    })
  }
}

/**
 * Refuses what is too long to be stored, echoed or signed. RFC 6749 sets no bounds; these are well above what clients send.
 * @throws OAuthError invalid_request — reason `parameter_too_long`.
 */
export function refuseTooLong(parameters: Parameters): void {
  for (const [name, bound] of bounds) {
    if (!isLonger(parameters.get(name) ?? '', bound)) continue
    // RFC 6749 §4.1.2.1: a request that cannot be processed is an invalid_request.
    throw new OAuthError('invalid_request', 'A parameter is too long.', { reason: 'parameter_too_long' })
  }
}

/** The first few languages: the list is a wish, and a long one must not fail the request (OIDC Core §3.1.2.1). */
export const preferredLocales = (parameters: Parameters): readonly string[] =>
  spaceSeparated(parameters.get('ui_locales'))
    .filter((locale) => /^[A-Za-z0-9-]{1,35}$/.test(locale))
    .slice(0, 10)

/** The parameters that mean something here, to be proven again when an interaction goes on; all others are ignored (RFC 6749 §3.1). */
export function knownParameters(parameters: Parameters): Readonly<Record<string, string>> {
  const known: Record<string, string> = { ui_locales: preferredLocales(parameters).join(' ') }
  for (const name of [...bounds.keys(), 'scope']) {
    const value = parameters.get(name)
    if (value !== undefined) known[name] = value
  }
  return known
}

/** Whether `state` is short enough to be echoed. */
export const isEchoable = (state: string): boolean => !isLonger(state, maxStateLength)

/** Whether the text is longer in UTF-8 than so many bytes. A character takes three at most, so that few have to be counted. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes

const maxStateLength = 1024

/** Bytes in UTF-8 by parameter. `scope` and `ui_locales` have bounds of their own. */
const bounds: ReadonlyMap<string, number> = new Map([
  ['response_type', 256],
  ['response_mode', 256],
  ['client_id', 1024],
  ['redirect_uri', 2000],
  ['state', maxStateLength],
  ['nonce', 1024],
  ['code_challenge', 256],
  ['code_challenge_method', 256],
  ['prompt', 256],
  ['max_age', 256],
  ['login_hint', 1024],
  ['acr_values', 1024],
  ['claims', 4096],
  ['id_token_hint', 8192],
])

const unsupportedParameters: readonly (readonly [name: string, code: OAuthErrorCode])[] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
]
