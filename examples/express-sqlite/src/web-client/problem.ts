import * as openid from 'openid-client'

/** Why a sign-in did not succeed, as the page tells it. */
export interface Problem {
  readonly code: string
  readonly text: string
}

/** An answer that nobody here waits for: tried again with the back button, or sent by somebody else (RFC 6749 §10.12). */
export const unknownState = (): Error => new UnknownStateError('This answer belongs to a sign-in that was not started here, or is over.')

/** What the server said, where it said something; else what the library found wrong. */
export function problemOf(error: unknown): Problem {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    return { code: error.error, text: error.error_description ?? '' }
  }
  if (error instanceof openid.ClientError) return { code: error.code ?? 'client_error', text: error.message }
  if (error instanceof UnknownStateError) return { code: 'state', text: error.message }
  throw error
}

class UnknownStateError extends Error {}
