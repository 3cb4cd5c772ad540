import { parseParameters, type ServerRequest } from '@mintmark/core/http'
import type { z } from 'zod'

import { AdminError } from '../error/admin-error.ts'
import { isStorable } from '../json/storable.ts'
import { fitting } from './read-body.ts'

/**
 * The query of a request, as its schema has it. Parameters that the schema does not name are refused: one that is
 * misspelled would otherwise list everything.
 * @throws AdminError `query_invalid`.
 */
export function readQuery(request: ServerRequest, schema: z.ZodType): unknown {
  const list = parseParameters(request.url.search.slice(1), 16)
  // RFC 9110 §15.5.1.
  if ('malformed' in list) throw new AdminError('query_invalid')
  const query = new Map(list)
  // RFC 9110 §15.5.1: which of two counts is nobody's to guess.
  if (query.size < list.length || query.has('__proto__') || !isStorable(list)) throw new AdminError('query_invalid')
  return fitting(Object.fromEntries(query), schema, 'query_invalid')
}
