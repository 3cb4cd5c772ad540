import type { JsonObject } from '@mintmark/storage-interface'
import type { ChangeRecord } from '@mintmark/storage-interface/stores'

import { isProvisioningEvent, type SecurityEventContent, verificationEvent } from './security-events.ts'

/** Returns what a security event says, in addition to its subject. */
export function payloadOf(content: SecurityEventContent): JsonObject {
  const { event, state, names, changedAt } = content
  const type = typeof content['type'] === 'string' ? content['type'] : ''
  if (event === verificationEvent) return state === undefined ? {} : { state }
  if (isProvisioningEvent(event)) {
    const changed = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
    return event.endsWith(':notice') ? { attributes: scimAttributesOf(type, changed) } : {}
  }
  const reason = reasons[type]
  // CAEP 1.0 §2: seconds, and a sentence for each language. CAEP Interoperability Profile §3.1 demands the sentence.
  return { event_timestamp: changedAt ?? 0, ...(reason !== undefined && { reason_admin: { en: reason } }) }
}

/** What administrators of the receiver read about the change that caused an event. It contains no data. */
const reasons: Readonly<Record<string, string>> = {
  'session.ended': 'The session ended at the identity provider.',
  'user.access_revoked': 'The identity provider ended all sessions of the user.',
  'user.deactivated': 'The account was deactivated at the identity provider.',
  'user.reactivated': 'The account was reactivated at the identity provider.',
  'user.removed': 'The account was removed at the identity provider.',
} satisfies Partial<Record<ChangeRecord['type'], string>>

/**
 * Returns the SCIM attributes that may have changed (RFC 9967 §2.2, RFC 7644 §3.10): changes of users are recorded by the names of
 * claims. Claims of the host's own come from attributes that only the host knows, so they are left out.
 */
function scimAttributesOf(type: string, names: readonly string[]): readonly string[] {
  if (type.startsWith('membership.')) return ['members']
  if (type.startsWith('group.')) return names.filter((name) => name === 'displayName' || name === 'externalId')
  return [...new Set(names.flatMap((name) => attributesOfClaims[name] ?? []))]
}

/** The SCIM attributes that each claim of a provisioned user is derived from (RFC 7643 §4.1). */
const attributesOfClaims: Readonly<Record<string, readonly string[]>> = {
  name: ['displayName', 'name'],
  given_name: ['name.givenName'],
  family_name: ['name.familyName'],
  middle_name: ['name.middleName'],
  nickname: ['nickName'],
  preferred_username: ['userName'],
  profile: ['profileUrl'],
  picture: ['photos'],
  locale: ['locale'],
  zoneinfo: ['timezone'],
  email: ['emails'],
  phone_number: ['phoneNumbers'],
}
