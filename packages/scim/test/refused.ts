import { ScimError, type ScimRefusalReason } from '../src/index.ts'

/** What a call is refused with; anything else that it throws is a failure, and so is an answer. */
export function refused(call: () => unknown): ScimError {
  try {
    call()
  } catch (error) {
    if (error instanceof ScimError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

/** Status, scimType and reason in one line, for tables: `400 invalidFilter filter_syntax`. */
export function refusedWith(call: () => unknown): `${number} ${string} ${ScimRefusalReason}` {
  const { status, scimType, reason } = refused(call)
  return `${status} ${scimType ?? '-'} ${reason}`
}
