import { refusals, type ScimRefusalReason } from './refusals.ts'
import { ScimError } from './scim-error.ts'

/** The error to throw for a reason. */
export function refusal(reason: ScimRefusalReason, options: RefusalOptions = {}): ScimError {
  const [status, scimType, sentence] = refusals[reason]
  const detail = options.suggestion === undefined ? sentence : `${sentence} Perhaps ${options.suggestion} is meant.`
  return new ScimError(status, detail, { scimType, reason, cause: options.cause, attribute: options.attribute })
}

interface RefusalOptions {
  readonly cause?: unknown
  /** The attribute, spelled as in the schema; for events. */
  readonly attribute?: string | undefined
  /** An attribute that was probably meant, to help an administrator fix a mapping. */
  readonly suggestion?: string | undefined
}
