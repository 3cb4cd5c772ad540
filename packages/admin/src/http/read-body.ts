import { decodeBody, hasMediaType, type ServerRequest } from '@mintmark/internal'
import type { z } from 'zod'

import { AdminError } from '../error/admin-error.ts'
import type { AdminRefusalReason } from '../error/refusals.ts'
import { isStorable } from '../text.ts'

/**
 * The JSON of a request's body, as its schema has it. Members that the schema does not name are refused.
 * @throws AdminError `media_type` | `body_malformed` | `body_invalid`.
 */
export function readBody(request: ServerRequest, schema: z.ZodType): unknown {
  // RFC 9110 §15.5.16.
  // RFC 7396 §4: a merge patch is JSON too.
  if (!hasMediaType(request, ['application/json', 'application/merge-patch+json'])) throw new AdminError('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8. What is nested deeper than anything of ours is not even read.
  if (text === undefined || isTooDeep(text)) throw new AdminError('body_malformed')
  const value = parsed(text)
  // RFC 9110 §15.5.1: not every store reads such a text back.
  if (!isStorable(value)) throw new AdminError('body_invalid')
  return fitting(value, schema, 'body_invalid')
}

/**
 * A value as its schema has it.
 * @throws AdminError for the reason.
 */
export function fitting(value: unknown, schema: z.ZodType, reason: AdminRefusalReason): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path ?? []
  // RFC 6901 §3. Only names that could be of ours are repeated.
  const pointer = path.every((part) => /^[a-z_0-9]{1,64}$/.test(String(part)))
    ? path.map((part) => `/${String(part)}`).join('')
    : undefined
  // RFC 9110 §15.5.1.
  throw new AdminError(reason, { pointer: pointer === '' ? undefined : pointer })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // RFC 9110 §15.5.1.
    throw new AdminError('body_malformed', { cause })
  }
}

/** Goes once through the text. Brackets in texts count too: no message of ours has so many in a row. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > 32) return true
  }
  return false
}
