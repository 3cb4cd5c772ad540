import type { JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject } from '../json/json-object.ts'
import { nameKey } from '../schema/name-key.ts'

/** Whether members are given with a type, at whatever depth a tolerance may find them. */
export function givesType(members: JsonValue | undefined): boolean {
  if (isArray(members)) return members.some(givesType)
  return (
    isObject(members) && Object.entries(members).some(([name, value]) => nameKey(name) === 'type' || givesType(value))
  )
}
