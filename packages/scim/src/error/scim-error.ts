import type { ScimRefusalReason } from './refusals.ts'
import type { ScimErrorType } from './scim-error-type.ts'

interface ScimErrorOptions {
  readonly scimType?: ScimErrorType | undefined
  readonly reason: ScimRefusalReason
  readonly cause?: unknown
  readonly attribute?: string | undefined
}

/**
 * A refusal (RFC 7644 §3.12). `status`, `scimType` and `detail` are sent to the identity provider; the detail consists of fixed
 * sentences and at most a name from our schemas, never of input. `reason` is for events and tests.
 */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: number
  readonly scimType: ScimErrorType | undefined
  readonly detail: string
  readonly reason: ScimRefusalReason
  /** The attribute, spelled as in the schema; for events. */
  readonly attribute: string | undefined

  constructor(status: number, detail: string, options: ScimErrorOptions) {
    super(`${status} ${options.scimType ?? 'error'}: ${detail}`, { cause: options.cause })
    this.status = status
    this.scimType = options.scimType
    this.detail = detail
    this.reason = options.reason
    this.attribute = options.attribute
  }
}
