import type { JsonObject } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import { readValue } from '../value/read-value.ts'

/**
 * Who signed in, as SCIM requests name them.
 * @throws ScimError invalidValue — reasons `value_required`, `value_too_long`, `value_characters`.
 */
export function loginExternalId(text: string, { resourceType, tolerances: tally }: ParseContext): string {
  const attribute = resourceType.attributesByName.get('externalid')
  const value = attribute === undefined ? undefined : readValue(attribute, text, tally)
  // RFC 7643 §3.1: what joins a sign-in and a provisioned account is not left open.
  if (typeof value !== 'string' || value.trim() === '') throw refusal('value_required', { attribute: 'externalId' })
  return value
}

/**
 * A user with what a profile gives put in place (RFC 7644 §3.5.2.3): of `name` the parts that it gives, of `emails` all; what it
 * does not give stays. By the rules, and with the tolerances, of a PATCH from the same provider.
 * @throws ScimError the reasons of `parsePatch` and `applyPatch`.
 */
export function withProfile(document: JsonObject, profile: JsonObject, reading: ParseContext): JsonObject {
  // As JSON has no undefined: a host that copies claims by name writes it for those that did not come, and means to clear none.
  const value: unknown = JSON.parse(JSON.stringify(profile))
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  const operations = parsePatch({ schemas, Operations: [{ op: 'replace', value }] }, reading.tolerances)
  return applyPatch(document, operations, reading).resource
}
