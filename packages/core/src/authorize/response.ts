import { noStore, redirect, type ServerResponse } from '@mintmark/internal'
import type { OAuthError } from '../refusals.ts'
import type { VerifiedRedirect } from './proven-redirect.ts'

/** Redirects to the client with a code (RFC 6749 §4.1.2). `iss` identifies the server that answered (RFC 9207 §2). */
export const authorizationResponse = (code: string, target: ResponseTarget, issuer: string): ServerResponse =>
  target.responseMode.respond(target.redirect, present({ code, state: target.state, iss: issuer }))

/** Redirects to the client with an error (RFC 6749 §4.1.2.1). `iss` is included here too (RFC 9207 §2). */
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

/** Where and how the response reaches the client. Contains the evidence that the browser may be redirected there. */
export interface ResponseTarget {
  readonly redirect: VerifiedRedirect
  readonly responseMode: ResponseMode
  readonly state: string | undefined
}

/**
 * A refusal that is returned to the client by redirect. Contains the evidence that the browser may be redirected there.
 */
export class RedirectableError extends Error {
  override readonly name = 'RedirectableError'
  readonly refusal: OAuthError
  readonly target: ResponseTarget

  constructor(refusal: OAuthError, target: ResponseTarget) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
    this.target = target
  }
}

/**
 * How the response parameters are returned to the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
 */
export interface ResponseMode {
  /** The `response_mode` value. */
  readonly mode: string
  /** @param parameters the parameters that are present. */
  respond(target: VerifiedRedirect, parameters: readonly (readonly [string, string])[]): ServerResponse
}

/** `query`: in the query of the redirect URI, the default for codes. */
export const queryResponseMode: ResponseMode = {
  mode: 'query',
  respond(target, parameters) {
    const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    // The registered redirect URI stays as it is, character by character; it has no fragment.
    return redirect(`${target}${target.includes('?') ? '&' : '?'}${query}`)
  },
}

/**
 * `fragment`: in the fragment of the redirect URI. Only errors use it, for response types that are not supported.
 */
export const fragmentResponseMode: ResponseMode = {
  mode: 'fragment',
  respond(target, parameters) {
    const fragment = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    return redirect(`${target}#${fragment}`)
  },
}

/**
 * `form_post`: a page that posts the parameters to the client (OAuth 2.0 Form Post Response Mode §2). Without scripts,
 * the user presses its button.
 */
export const formPostResponseMode: ResponseMode = {
  mode: 'form_post',
  respond(target, parameters): ServerResponse {
    const fields = parameters.map(
      ([name, value]) => `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`,
    )
    return {
      status: 200,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        // No form-action: Chrome applies it to redirects after the post as well, and the client may redirect anywhere.
        [
          'Content-Security-Policy',
          `default-src 'none'; script-src '${scriptHash}'; frame-ancestors 'none'; base-uri 'none'`,
        ],
        ['X-Frame-Options', 'DENY'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Referrer-Policy', 'no-referrer'],
        ...noStore,
      ],
      body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Continue</title><form method="post" action="${escapeAttribute(target)}">${fields.join('')}<noscript><button>Continue</button></noscript></form><script>${script}</script></html>`,
    }
  },
}

const escapeAttribute = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const script = 'document.forms[0].submit()'

/** SHA-256 of the script; a test computes it. */
const scriptHash = 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='
