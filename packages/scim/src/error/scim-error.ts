import type { ScimRefusalReason } from './refusals.ts'

/** The error keywords of RFC 7644 §3.12, table 9, and those of RFC 9865 §2.1 for cursors. */
export type ScimErrorType =
  | 'expiredCursor'
  | 'invalidCount'
  | 'invalidCursor'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'invalidVers'
  | 'mutability'
  | 'noTarget'
  | 'sensitive'
  | 'tooMany'
  | 'uniqueness'

interface ScimErrorOptions {
  readonly reason: ScimRefusalReason
  readonly cause?: unknown
  readonly attribute?: string | undefined
}

/**
 * A refusal in SCIM's terms (RFC 7644 §3.12). `status`, `scimType` and `detail` go to the identity provider: the detail
 * holds fixed sentences and at most a name out of our own schemas, nothing of the request. `reason` is for events and tests.
 */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: number
  readonly scimType: ScimErrorType | undefined
  readonly detail: string
  readonly reason: ScimRefusalReason
  /** The attribute that it was about, as our schema spells it; for events. */
  readonly attribute: string | undefined

  constructor(status: number, scimType: ScimErrorType | undefined, detail: string, options: ScimErrorOptions) {
    super(`${status} ${scimType ?? 'error'}: ${detail}`, { cause: options.cause })
    this.status = status
    this.scimType = scimType
    this.detail = detail
    this.reason = options.reason
    this.attribute = options.attribute
  }
}
