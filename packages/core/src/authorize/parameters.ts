import { utf8Length } from '@mintmark/internal'
import type { ClientRecord, JsonValue, OAuthStorage } from '@mintmark/storage-interface'

import type { VerifyOwnJwtDependencies } from '../keys/verify-jwt.ts'
import { type Parameters, splitAtSpaces } from '../parameters.ts'
import { pairwiseSectorOf } from '../clients/sector.ts'
import { beginningOf, refuse } from '../refusals.ts'
import { readIdTokenHint } from '../tokens/id-token-hint.ts'
import { userOfSubject } from '../tokens/pairwise.ts'

/**
 * Refuses parameters that change the meaning of a request and are not supported.
 * @throws OAuthError request_not_supported | request_uri_not_supported | registration_not_supported — reason
 *   `parameter_unsupported`.
 */
export function refuseUnsupported(parameters: Parameters): void {
  for (const name of unsupportedParameters) {
    if (parameters.get(name) === undefined) continue
    // OIDC Core §3.1.2.6 defines an error code for each of these parameters, so none is silently ignored.
    throw refuse(`parameter_unsupported_${name}`)
  }
}

/**
 * Refuses parameters that are too long to be stored, echoed or signed. RFC 6749 sets no limits; these are well above
 * what clients send.
 * @throws OAuthError invalid_request — reason `parameter_too_long`.
 */
export function refuseTooLong(parameters: Parameters, limits = maxLengths): void {
  for (const [name, maxLength] of limits) {
    const value = parameters.get(name)
    if (value === undefined || utf8Length(value) <= maxLength) continue
    // RFC 6749 §4.1.2.1: a request that cannot be processed is an invalid_request.
    throw refuse('parameter_too_long')
  }
}

/**
 * Returns the first ten well-formed language tags in `ui_locales`. They are only a preference, so a long or malformed
 * list must not make the request fail (OIDC Core §3.1.2.1).
 */
export const preferredLocales = (parameters: Parameters): readonly string[] =>
  splitAtSpaces(parameters.get('ui_locales'))
    .filter((locale) => /^[A-Za-z0-9-]{1,35}$/.test(locale))
    .slice(0, 10)

/**
 * Returns the known parameters except `resource`, which may occur several times. They are validated again when an
 * interaction continues. Unknown parameters are ignored (RFC 6749 §3.1).
 */
export function knownParameters(parameters: Parameters): Readonly<Record<string, string>> {
  const known: Record<string, string> = { ui_locales: preferredLocales(parameters).join(' ') }
  for (const name of keptNames) {
    const value = parameters.get(name)
    if (value !== undefined) known[name] = value
  }
  return known
}

/** Whether `state` is short enough to be echoed. */
export const isEchoable = (state: string): boolean => utf8Length(state) <= maxStateLength

const maxStateLength = 1024

/** Parameters without an entry in `maxLengths`, because their parsers limit their length. */
const unbounded = ['scope', 'authorization_details'] as const

/** The maximum length of each parameter in UTF-8 bytes. `preferredLocales` limits `ui_locales`. */
const maxLengths: ReadonlyMap<string, number> = new Map([
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
  ['organization', 1024],
  ['id_token_hint', 8192],
  ['dpop_jkt', 256],
])

/** The parameters that are kept as they were received. */
const keptNames: readonly string[] = [...maxLengths.keys(), ...unbounded]

/** Whether the server knows the parameter. */
export const isKnownParameter = (name: string): boolean =>
  keptNames.includes(name) || ['resource', 'ui_locales', 'registration'].includes(name)

const unsupportedParameters = ['request', 'request_uri', 'registration'] as const

/** The PKCE challenge that the code is bound to. `exempt`: the client does not need one, and sent none. */
export type CodeChallenge =
  { readonly method: 'S256'; readonly challenge: string } | { readonly method: 'exempt'; readonly challenge: undefined }

/** The only supported method: `plain` would expose the verifier in the front channel (RFC 9700 §2.1.1). */
export const codeChallengeMethods = ['S256'] as const

/**
 * Parses the PKCE challenge (RFC 7636 §4.3).
 * @throws OAuthError invalid_request — reason `code_challenge_missing` | `code_challenge_method` |
 *   `code_challenge_malformed`.
 */
export function parseCodeChallenge(parameters: Parameters, client: ClientRecord): CodeChallenge {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined && method === undefined && !needsPkce(client))
    return { method: 'exempt', challenge: undefined }

  // RFC 9700 §2.1.1: without PKCE a leaked or injected code can be redeemed.
  if (challenge === undefined) throw refuse('code_challenge_missing')
  // RFC 7636 §4.3: a missing method means plain, which is refused.
  if (method !== 'S256') throw refuse('code_challenge_method')
  // RFC 7636 §4.2: base64url of a SHA-256 hash is 43 characters.
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw refuse('code_challenge_malformed')
  return { method: 'S256', challenge }
}

/**
 * Parses the thumbprint of the key that the code is bound to (RFC 9449 §10).
 * @throws OAuthError invalid_request — reason `dpop_jkt_malformed`.
 */
export function parseDpopJkt(parameters: Parameters): string | undefined {
  const jkt = parameters.get('dpop_jkt')
  // RFC 9449 §10: a SHA-256 thumbprint in base64url. No proof could match any other value.
  if (jkt !== undefined && !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(jkt)) throw refuse('dpop_jkt_malformed')
  return jkt
}

/**
 * Whether the client must use PKCE. Public clients must (RFC 9700 §2.1.1). So must attested clients, because another
 * instance of the same client could redeem a stolen code. For other confidential clients PKCE is recommended, and
 * `requirePkce` requires it.
 */
export const needsPkce = ({ tokenEndpointAuthMethod, requirePkce }: ClientRecord): boolean =>
  tokenEndpointAuthMethod === 'none' || tokenEndpointAuthMethod === 'attest_jwt_client_auth' || requirePkce

/** A value of the `prompt` parameter (OIDC Core §3.1.2.1). */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

export const prompts: readonly Prompt[] = ['none', 'login', 'consent', 'select_account']

/** @throws OAuthError invalid_request — reason `prompt_invalid`. */
export function parsePrompt(value: string | undefined): ReadonlySet<Prompt> {
  const values = splitAtSpaces(value)
  const known = prompts.filter((prompt) => values.includes(prompt))
  // OIDC Core §3.1.2.1: none cannot be combined with other values, and unknown values are refused.
  if (known.length !== values.length || (values.includes('none') && values.length > 1))
    throw refuse('prompt_invalid', { requestedValue: beginningOf(value ?? '') })
  return new Set(known)
}

/**
 * Reads the subject of an ID token hint (OIDC Core §3.1.2.1). It identifies the expected user and never signs them in.
 * @throws OAuthError invalid_request — reason `id_token_hint_invalid`; login_required — reason `no_user_matches`.
 */
export async function hintedSubject(hint: string, client: ClientRecord, deps: SubjectRules): Promise<string> {
  // OIDC Core §3.1.2.1: it was issued by this server, to whichever client.
  const user = await userOfIdTokenHint(hint, { client, issuedTo: 'any_client' }, deps)
  // OIDC Core §3.1.2.1: the user of the hint was removed, and no other user satisfies the request.
  if (user === undefined) throw refuse('no_user_matches')
  return user
}

/**
 * Finds the user of an ID token hint.
 * @returns `undefined` when the user of a pairwise subject was removed.
 * @throws OAuthError invalid_request — reason `id_token_hint_invalid`.
 */
export async function userOfIdTokenHint(
  hint: string,
  { client, issuedTo }: { readonly client: ClientRecord; readonly issuedTo: 'any_client' | 'itself' },
  deps: SubjectRules,
): Promise<string | undefined> {
  const read = await readIdTokenHint(hint, deps)
  // OIDC Core §3.1.2.1: the hint must be an ID token of this server.
  if (read === undefined) throw refuse('id_token_hint_invalid')
  const isOwn = read.clientId === client.clientId
  // CIBA Core 1.0 §7.1: the hint was issued to the client.
  if (!isOwn && issuedTo === 'itself') throw refuse('id_token_hint_invalid')
  const owner = isOwn ? client : await deps.storage.clients.find(read.clientId)
  if (owner === undefined) return read.subject
  // OIDC Core §8, §17.3: otherwise clients of two sectors could find out together whether their users are the same.
  if (pairwiseSectorOf(owner) !== pairwiseSectorOf(client)) throw refuse('id_token_hint_invalid')
  return userOfSubject(read.subject, owner, deps.storage)
}

/** The dependencies of the functions that find the users whom a request names. */
export interface SubjectRules extends VerifyOwnJwtDependencies {
  readonly storage: OAuthStorage
}

/**
 * Finds the users that the values of a requested `sub` claim name (OIDC Core §5.5.1). A client with pairwise subjects
 * can name users only by its own subjects: it must not learn whether a subject of another client belongs to the same
 * user.
 */
export async function claimedUsers(
  claimed: readonly JsonValue[],
  client: ClientRecord,
  { storage }: Pick<SubjectRules, 'storage'>,
): Promise<readonly JsonValue[]> {
  if (client.subjectType === 'public') return claimed
  const subjects = claimed.filter((subject) => typeof subject === 'string').slice(0, maxClaimedSubjects)
  const users = await Promise.all(subjects.map((subject) => userOfSubject(subject, client, storage)))
  return users.filter((user) => user !== undefined)
}

/** Each subject costs one read from storage. */
const maxClaimedSubjects = 20

/**
 * Returns the users who may sign in for the request. An ID token hint names one user, and the values of a requested
 * `sub` claim name several; if the request contains both, a user must be named by both (OIDC Core §3.1.2.1, §3.1.2.2).
 * @returns `undefined` when any user may sign in.
 * @throws OAuthError login_required — reason `no_user_matches`: no user may sign in.
 */
export function allowedSubjects(
  hinted: string | undefined,
  claimed: readonly JsonValue[] | undefined,
): readonly string[] | undefined {
  if (hinted === undefined && claimed === undefined) return undefined
  const named =
    claimed === undefined ? [hinted] : claimed.filter((subject) => hinted === undefined || subject === hinted)
  const accepted = named.filter((subject) => typeof subject === 'string')
  // OIDC Core §3.1.2.1: no sign-in could satisfy the request.
  if (accepted.length === 0) throw refuse('no_user_matches')
  return accepted
}
