import { currentUrn } from '../tolerance/legacy-urns.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import type { Schema } from './define-schema.ts'
import { nameKey } from './name-key.ts'

/** The resource type's own schema or the extension that a URN names; URNs do not differ by case (RFC 7644 §3.10). */
export function findSchema(urn: string, reading: ParseContext): Schema | undefined {
  const found = declaredSchema(urn, reading)
  if (found !== undefined) return found
  const current = currentUrn(urn, reading.resourceType)
  return current !== undefined && reading.tolerances.admits('legacy-urns')
    ? declaredSchema(current, reading)
    : undefined
}

function declaredSchema(urn: string, { resourceType }: ParseContext): Schema | undefined {
  const key = nameKey(urn)
  return key === nameKey(resourceType.schema.id) ? resourceType.schema : resourceType.extensionsByUrn.get(key)
}
