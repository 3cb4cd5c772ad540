import * as openid from 'openid-client'

/** Why a sign-in did not succeed, as the page tells it. */
export interface Problem {
  readonly code: string
  readonly text: string
}

/** An answer that nobody here waits for: tried again with the back button, or sent by somebody else (RFC 6749 §10.12). */
export const unknownState = (): Error =>
  new UnknownStateError('This answer belongs to a sign-in that was not started here, or is over.')

/** What the server said, where it said something; else what the library found wrong. */
export function problemOf(error: unknown): Problem {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    return { code: error.error, text: error.error_description ?? '' }
  }
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    // RFC 6749 §5.2: a challenge at the token endpoint is about the client; RFC 6750 §3: one about a token says so.
    const code = error.cause.map(({ parameters }) => parameters.error).find((said) => said !== undefined)
    return { code: code ?? 'invalid_client', text: 'The server does not accept what this app shows it.' }
  }
  if (error instanceof openid.ClientError) return { code: error.code ?? 'client_error', text: error.message }
  if (error instanceof UnknownStateError) return { code: 'state', text: error.message }
  throw error
}

class UnknownStateError extends Error {}
