import { StorageUnavailableError } from '@mintmark/storage-interface'

import { refusals, type ScimRefusalReason } from './refusals.ts'
import type { ScimErrorType } from './scim-error-type.ts'

interface ScimErrorOptions {
  readonly scimType?: ScimErrorType | undefined
  readonly reason: ScimRefusalReason
  readonly cause?: unknown
  readonly attribute?: string | undefined
  readonly value?: string | undefined
  readonly retryAfter?: number | undefined
}

/**
 * A refusal (RFC 7644 §3.12). `status`, `scimType` and `detail` are sent to the identity provider; the detail consists
 * of fixed sentences, and at most a name from our schemas and the start of one identifier or attribute name from the
 * request. `reason` is for events and tests.
 */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: number
  readonly scimType: ScimErrorType | undefined
  readonly detail: string
  readonly reason: ScimRefusalReason
  /** The attribute, spelled as in the schema. */
  readonly attribute: string | undefined
  /** The start of the identifier or name in the request that the refusal is about, in printable characters. */
  readonly value: string | undefined
  /** The number of seconds after which the request may succeed. */
  readonly retryAfter: number | undefined

  constructor(status: number, detail: string, options: ScimErrorOptions) {
    super(`${status} ${options.scimType ?? 'error'}: ${detail}`, { cause: options.cause })
    this.status = status
    this.scimType = options.scimType
    this.detail = detail
    this.reason = options.reason
    this.attribute = options.attribute
    this.value = options.value
    this.retryAfter = options.retryAfter
  }
}

/** Creates the error to throw for a reason. */
export function refuse(reason: ScimRefusalReason, options: RefusalOptions = {}): ScimError {
  const { status, code: scimType, sentence }: ScimRefusal = refusals[reason]
  const value = options.value === undefined ? undefined : startOf(options.value)
  return new ScimError(status, sentence + hint({ ...options, value }), {
    scimType,
    reason,
    cause: options.cause,
    attribute: options.attribute,
    value,
    retryAfter: options.retryAfter,
  })
}

interface ScimRefusal {
  readonly status: number
  readonly code?: ScimErrorType
  readonly sentence: string
}

/** Tells an administrator, who often sees only this text, which attribute of a mapping to look at. */
function hint({ attribute, value, suggestion }: RefusalOptions): string {
  const named = attribute === undefined || suggestion !== undefined ? '' : ` Attribute: ${attribute}.`
  const received = value === undefined ? '' : ` Received: ${value}.`
  return named + received + (suggestion === undefined ? '' : ` Did you mean ${suggestion}?`)
}

/** Long or unprintable text must not reach a log or a page of an administrator. */
const startOf = (value: string): string =>
  value.slice(0, 128).replaceAll(/[^ -~]|["\\]/g, '?') + (value.length > 128 ? '...' : '')

interface RefusalOptions {
  readonly cause?: unknown
  /** The attribute, spelled as in the schema; never input. */
  readonly attribute?: string | undefined
  /** An identifier, the name of an attribute or the place of an operation in the request, so that its sender learns nothing new. */
  readonly value?: string | undefined
  /** The number of seconds after which the request may succeed. */
  readonly retryAfter?: number | undefined
  /** An attribute that was probably meant, to help an administrator fix a mapping. */
  readonly suggestion?: string | undefined
}

/** Converts anything thrown to a SCIM error. The error for an unexpected failure reveals nothing about its cause. */
export function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error
  return refuse(error instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected_failure', {
    cause: error,
  })
}

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The JSON body of an error response. */
export interface ScimErrorBody {
  readonly schemas: readonly [typeof errorSchema]
  readonly scimType?: ScimErrorType
  readonly detail: string
  /** A string, unlike HTTP's own status. */
  readonly status: string
}

/** Renders the body of an error response (RFC 7644 §3.12). */
export const renderScimError = (error: ScimError): ScimErrorBody => ({
  schemas: [errorSchema],
  ...(error.scimType === undefined ? {} : { scimType: error.scimType }),
  detail: error.detail,
  status: String(error.status),
})
