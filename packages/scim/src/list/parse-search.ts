import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { boundedObject } from '../json/bounded-json.ts'
import { isArray } from '../json/json-object.ts'
import { membersByName, type Member } from '../json/members-by-name.ts'
import { requireMessageSchema } from '../message/require-message-schema.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import type { SearchRequest } from './search-request.ts'

/**
 * Reads the body of a POST to `/.search` (RFC 7644 §3.4.3). Members that the RFC does not name are ignored.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `search_malformed`.
 */
export function parseSearch(body: unknown, tally: ToleranceCounter): SearchRequest {
  const members = membersByName(boundedObject(body))
  requireMessageSchema(members, 'urn:ietf:params:scim:api:messages:2.0:SearchRequest', tally)
  return {
    attributes: namesIn(members, 'attributes'),
    excludedAttributes: namesIn(members, 'excludedAttributes'),
    filter: textIn(members, 'filter'),
    sortBy: textIn(members, 'sortBy'),
    sortOrder: textIn(members, 'sortOrder'),
    startIndex: integerIn(members, 'startIndex'),
    count: integerIn(members, 'count'),
    cursor: textIn(members, 'cursor'),
  }
}

type Members = ReadonlyMap<string, Member>

/** RFC 7643 §2.5: null is the same as nothing. */
const valueIn = (members: Members, name: string): JsonValue | undefined =>
  members.get(nameKey(name))?.value ?? undefined

function textIn(members: Members, name: string): string | undefined {
  const value = valueIn(members, name)
  // RFC 7644 §3.12 invalidSyntax: the message has members of certain types.
  if (value !== undefined && typeof value !== 'string') throw refusal('search_malformed')
  return value
}

function integerIn(members: Members, name: string): number | undefined {
  const value = valueIn(members, name)
  if (value === undefined) return undefined
  return typeof value === 'number' && Number.isInteger(value) ? value : Number.NaN
}

function namesIn(members: Members, name: string): readonly string[] | undefined {
  const value = valueIn(members, name)
  if (value === undefined) return undefined
  // RFC 7644 §3.4.3: a list of strings.
  if (!isArray(value)) throw refusal('search_malformed')
  return value.map((item) => {
    // RFC 7644 §3.12 invalidSyntax.
    if (typeof item !== 'string') throw refusal('search_malformed')
    return item
  })
}
