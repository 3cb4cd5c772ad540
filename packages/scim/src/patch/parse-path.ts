import { refusal } from '../error/refusal.ts'
import { ScimError } from '../error/scim-error.ts'
import { readEnd, readName, readSubName, readValueFilter, startOf } from '../filter/filter-grammar.ts'
import type { FilterNode } from '../filter/filter-node.ts'
import { openCursor } from '../filter/filter-tokens.ts'
import type { AttributeName } from '../schema/attribute-name.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'

/** A path as it was written (RFC 7644 §3.5.2, figure 7): `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`. */
export interface PathNode {
  readonly attribute: AttributeName
  readonly filter: FilterNode | undefined
  /** What follows the brackets. */
  readonly subName: string | undefined
}

/**
 * Reads a path with the parser of filters, and within its bounds.
 * @throws ScimError invalidPath — reason `path_syntax`, with the parser's own refusal as its cause.
 */
export function parsePath(text: string, tally: ToleranceCounter = createToleranceCounter(new Set())): PathNode {
  try {
    return readPath(text, tally)
  } catch (cause) {
    // RFC 7644 §3.12 invalidPath: what is no filter is no path either; another failure is not the sender's.
    if (cause instanceof ScimError) throw refusal('path_syntax', { cause })
    throw cause
  }
}

function readPath(text: string, tally: ToleranceCounter): PathNode {
  const place = startOf(openCursor(text), tally)
  const attribute = readName(place)
  const filter = place.cursor.peek().kind === '[' ? readValueFilter(place) : undefined
  const sub = filter === undefined ? undefined : readSubName(place)
  readEnd(place)
  return Object.freeze({ attribute, filter, subName: sub?.name })
}
