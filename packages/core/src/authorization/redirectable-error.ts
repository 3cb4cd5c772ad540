import type { OAuthError } from '../error/oauth-error.ts'
import type { ResponseTarget } from './response-target.ts'

/** A refusal that the client hears of through the browser. It contains the proof that the browser may be sent there. */
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
