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
  /** The attribute that it is about, as our schema spells it; goes to events. */
  readonly attribute?: string | undefined
  /** An attribute of ours that was probably meant: told to the administrator, who has to mend a mapping. */
  readonly suggestion?: string | undefined
}
