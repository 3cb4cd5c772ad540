import { isJsonObject } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

/**
 * Returns the version of a resource (RFC 7644 §3.14), if the partner has versions. One that cannot be sent in a header is none:
 * otherwise a deactivation would never reach the partner.
 */
export function versionOf({ meta }: JsonObject): string | undefined {
  const version = isJsonObject(meta ?? null) ? (meta as JsonObject)['version'] : undefined
  return typeof version === 'string' && /^[\x21-\x7E]+$/.test(version) ? version : undefined
}
