import { clientId, epochSeconds, familyId, secretDigest, type OpaqueTokenRecord } from '@mintmark/storage-interface'
import type { StoredObject } from '../stored-json.ts'

/** A token that has not been revoked: a revoked one is not read. */
export function readOpaqueToken(stored: StoredObject): OpaqueTokenRecord {
  const family = stored.optionalText('familyId')
  return {
    digest: secretDigest(stored.text('digest')),
    clientId: clientId(stored.text('clientId')),
    familyId: family === undefined ? undefined : familyId(family),
    claims: stored.json('claims'),
    expiresAt: epochSeconds(stored.integer('expiresAt')),
    revokedAt: undefined,
  }
}
