import type { RequestHead } from '@mintmark/core/http'
import type { Journal } from '@mintmark/internal'

import type { ScimError } from '../error/scim-error.ts'
import type { ScimOccurrence } from './scim-event.ts'

/**
 * Writes down that a request was refused, with the reason that its sender is not told. The query stays out: it names people. So does
 * what is behind a refusal that is not our failure: a JSON parser quotes what it could not read, a password perhaps.
 */
export const recordRefusal =
  (journal: Journal<ScimOccurrence>) =>
  ({ status, reason, attribute, cause }: ScimError, request: RequestHead): void => {
    const { method, url } = request
    const failure = status >= 500 ? cause : undefined
    journal.record(request, {
      type: 'request.refused',
      method,
      path: url.pathname,
      status,
      reason,
      attribute,
      cause: failure,
    })
  }
