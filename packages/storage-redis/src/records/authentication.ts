import { epochSeconds, sessionId, type AuthenticationRecord } from '@mintmark/storage-interface'
import type { StoredObject } from '../stored-json.ts'

export function readAuthentication(stored: StoredObject): AuthenticationRecord {
  const session = stored.optionalText('sessionId')
  return {
    authTime: epochSeconds(stored.integer('authTime')),
    acr: stored.optionalText('acr'),
    amr: stored.texts('amr'),
    sessionId: session === undefined ? undefined : sessionId(session),
  }
}
