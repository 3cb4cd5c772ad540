import type { ServerRequest } from '@mintmark/core/http'
import { fieldValues, formFields } from '@mintmark/pages/internal'

import { refuse } from './refusals.ts'

/** A posted form. */
export interface Form {
  /** The value of a field without the spaces around it; an empty string without the field. */
  readonly text: (name: string) => string
  /** The values of a repeated field that are not empty. */
  readonly list: (name: string) => readonly string[]
  /** The words of a field, which spaces, commas or line breaks separate. */
  readonly words: (name: string) => readonly string[]
  /** The version of the record that the administrator has seen. */
  readonly version: string | undefined
}

/** @throws ConsoleError `form_malformed`. */
export function readForm(request: ServerRequest): Form {
  const fields = formFields(request)
  if (fields === undefined) throw refuse('form_malformed')
  const list = (name: string) => fieldValues(fields, name).flatMap((value) => value.trim() || [])
  const text = (name: string) => list(name)[0] ?? ''
  return {
    text,
    list,
    words: (name) => [
      ...new Set(
        text(name)
          .split(/[\s,]+/)
          .filter((word) => word !== ''),
      ),
    ],
    version: text('version') || undefined,
  }
}
