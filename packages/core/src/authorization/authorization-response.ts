import type { OAuthError } from '../error/oauth-error.ts'
import type { ServerResponse } from '../http/index.ts'
import type { ResponseTarget } from './response-target.ts'

/** Sends the browser back with a code (RFC 6749 §4.1.2). `iss` tells the client which server answered (RFC 9207 §2). */
export const authorizationResponse = (code: string, target: ResponseTarget, issuer: string): ServerResponse =>
  target.responseMode.respond(target.redirect, present({ code, state: target.state, iss: issuer }))

/** Sends the browser back with a refusal (RFC 6749 §4.1.2.1). `iss` belongs here too (RFC 9207 §2). */
export const authorizationErrorResponse = (
  refusal: OAuthError,
  target: ResponseTarget,
  issuer: string,
): ServerResponse =>
  target.responseMode.respond(
    target.redirect,
    present({ error: refusal.code, error_description: refusal.description, state: target.state, iss: issuer }),
  )

const present = (parameters: Readonly<Record<string, string | undefined>>): readonly (readonly [string, string])[] =>
  Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
