import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isObject, memberOf, withMember } from '../json/json-object.ts'

/** The values that say of themselves that they are the primary one. */
export const primaryElements = (elements: readonly JsonValue[]): readonly JsonValue[] =>
  elements.filter((element) => isObject(element) && isPrimary(element))

/** RFC 7644 §3.5.2: a value that becomes the primary one takes that from all others. */
export const withOnePrimary = (elements: readonly JsonValue[], primary: JsonValue): readonly JsonValue[] =>
  elements.map((element) =>
    element !== primary && isObject(element) && isPrimary(element) ? withMember(element, 'primary', false) : element,
  )

const isPrimary = (element: JsonObject): boolean => memberOf(element, 'primary') === true
