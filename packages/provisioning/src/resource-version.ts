import { isJsonObject } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

/** Returns the version of a resource (RFC 7644 §3.14), if the partner has versions. */
export function versionOf({ meta }: JsonObject): string | undefined {
  const version = isJsonObject(meta ?? null) ? (meta as JsonObject)['version'] : undefined
  return typeof version === 'string' && version !== '' ? version : undefined
}
