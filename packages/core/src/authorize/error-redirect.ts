import type { ClientRecord } from '@mintmark/storage-interface'

import { isVerified } from '../clients/logo.ts'
import { toOAuthError, withContext, type OAuthError, type RefusalReason } from '../refusals.ts'
import { RedirectableError } from './response.ts'

/**
 * Does a step of an authorization request, and decides whether its error may redirect the browser to the client. For an
 * unverified client this requires that the user has signed in (RFC 9700 §4.11.2): otherwise a link to this server could
 * lead to any address on the web, and the error is shown on a page of this server. The answers to `prompt=none` are always
 * redirected (OIDC Core §3.1.2.6).
 * @throws RedirectableError when the browser may be redirected, otherwise its refusal; and every other error of the step. Each names the client.
 */
export async function limitErrorRedirects<Result>(
  { client, isSignedIn }: { readonly client: ClientRecord; readonly isSignedIn: () => Promise<boolean> },
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    const named = nameClient(error, client)
    if (!(named instanceof RedirectableError)) throw named
    const { refusal } = named
    const mayRedirect = isVerified(client, 'redirect_uris') || silentAnswers.has(refusal.reason) || (await isSignedIn())
    throw mayRedirect ? named : refusal
  }
}

/** Does a step, and adds the client to the context of its refusal. */
export async function namingClient<Result>(client: ClientRecord, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    throw nameClient(error, client)
  }
}

function nameClient(error: unknown, { clientId }: ClientRecord): OAuthError | RedirectableError {
  return error instanceof RedirectableError
    ? new RedirectableError(withContext(error.refusal, { clientId }), error.target)
    : withContext(toOAuthError(error), { clientId })
}

/** The reasons for which a request with `prompt=none` would need a page. */
const silentAnswers: ReadonlySet<RefusalReason> = new Set(['login_required', 'consent_required'])
