import { AdminError } from '@mintmark/admin'
import { decodeBody, mediaType, parseParameters, type ServerRequest } from '@mintmark/core/http'

/** What a button of the area asks for. */
export interface PostedAct {
  readonly act: string
  /** What of the page's subject it is about, such as one of an account's grants. */
  readonly about: string
}

/**
 * Reads the form that a button of the area sends.
 * @throws AdminError `media_type` | `body_invalid`.
 */
export function readPostedAct(request: ServerRequest): PostedAct {
  // RFC 9110 §15.5.16.
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw new AdminError('media_type', { detail: 'Use the buttons of the page.' })
  }
  const text = decodeBody(request.body)
  const fields = text === undefined ? undefined : parseParameters(text, mostFields)
  if (fields === undefined || 'malformed' in fields) throw unknownAct()

  const single = (name: string): string => {
    const [value, ...others] = fields.filter(([field]) => field === name)
    // Nobody knows which one of several was meant.
    if (others.length > 0) throw unknownAct()
    return value?.[1] ?? ''
  }
  return { act: single('act'), about: single('about') }
}

/** The refusal of what no button asks for (RFC 9110 §15.5.1). */
export const unknownAct = (): AdminError =>
  new AdminError('body_invalid', { detail: 'There is no such button on the page.' })

const mostFields = 8
