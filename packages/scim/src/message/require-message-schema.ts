import { refusal } from '../error/refusal.ts'
import { isArray } from '../json/json-object.ts'
import type { Member } from '../json/members-by-name.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'

/**
 * Holds a message to naming its own schema (RFC 7644 §3.1).
 * @param members of the message, by `nameKey`.
 * @throws ScimError invalidSyntax — reason `schemas_missing`.
 */
export function requireMessageSchema(members: ReadonlyMap<string, Member>, urn: string, tally: ToleranceCounter): void {
  const schemas = members.get('schemas')?.value
  if (isArray(schemas) && schemas.some((listed) => typeof listed === 'string' && nameKey(listed) === nameKey(urn)))
    return
  // RFC 7644 §3.1: the body names the schema of the message.
  if ((schemas !== undefined && schemas !== null) || !tally.admits('schemas-missing')) throw refusal('schemas_missing')
}
