import { redirect, type ServerResponse } from '../http/index.ts'
import type { VerifiedRedirect } from './verify-redirect.ts'

/** How the response's parameters travel to the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1). */
export interface ResponseMode {
  /** The `response_mode` value. */
  readonly mode: string
  /** @param parameters the response's parameters, absent ones left out. */
  respond(target: VerifiedRedirect, parameters: readonly (readonly [string, string])[]): ServerResponse
}

/** Declares a response mode; discovery lists it. */
export const defineResponseMode = (mode: ResponseMode): ResponseMode => mode

/** `query`: in the redirect URI's query, the default for codes. */
export const queryResponseMode = defineResponseMode({
  mode: 'query',
  respond(target, parameters) {
    const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    // The redirect URI is kept as registered, character by character; it has no fragment.
    return redirect(`${target}${target.includes('?') ? '&' : '?'}${query}`)
  },
})
