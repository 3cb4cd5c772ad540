import type { ResponseMode } from './response-mode.ts'
import type { VerifiedRedirect } from './verify-redirect.ts'

/** Where and how the client hears of the outcome. It holds the proof that the browser may be sent there. */
export interface ResponseTarget {
  readonly redirect: VerifiedRedirect
  readonly responseMode: ResponseMode
  readonly state: string | undefined
}
