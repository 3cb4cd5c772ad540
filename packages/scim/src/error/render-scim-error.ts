import type { ScimErrorType } from './scim-error-type.ts'
import type { ScimError } from './scim-error.ts'

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The JSON body of an error answer. */
export interface ScimErrorBody {
  readonly schemas: readonly [typeof errorSchema]
  readonly scimType?: ScimErrorType
  readonly detail: string
  /** A string, unlike HTTP's own status. */
  readonly status: string
}

/** The body of an error answer (RFC 7644 §3.12). */
export const renderScimError = (error: ScimError): ScimErrorBody => ({
  schemas: [errorSchema],
  ...(error.scimType === undefined ? {} : { scimType: error.scimType }),
  detail: error.detail,
  status: String(error.status),
})
