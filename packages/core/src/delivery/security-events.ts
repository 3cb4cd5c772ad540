import type { JsonObject } from '@mintmark/storage-interface'
import type { ChangeRecord, StreamRecord } from '@mintmark/storage-interface/stores'

const caep = 'https://schemas.openid.net/secevent/caep/event-type'
const risc = 'https://schemas.openid.net/secevent/risc/event-type'
const provisioning = 'urn:ietf:params:scim:event:prov'

const sessionRevoked = `${caep}/session-revoked`

/**
 * The security events that each change becomes (CAEP 1.0 §3, RISC 1.0 §2, RFC 9967 §2): whose access ended, whose account was
 * disabled, and what was provisioned.
 */
const eventsByChange: Readonly<Partial<Record<ChangeRecord['type'], readonly string[]>>> = {
  'session.ended': [sessionRevoked],
  'user.access_revoked': [sessionRevoked],
  'user.deactivated': [`${risc}/account-disabled`, sessionRevoked, `${provisioning}:deactivate`],
  'user.reactivated': [`${risc}/account-enabled`, `${provisioning}:activate`],
  'user.removed': [`${risc}/account-purged`, sessionRevoked, `${provisioning}:delete`],
  'user.created': [`${provisioning}:create:notice`],
  'user.changed': [`${provisioning}:patch:notice`],
  'group.created': [`${provisioning}:create:notice`],
  'group.changed': [`${provisioning}:patch:notice`],
  'group.removed': [`${provisioning}:delete`],
  'membership.added': [`${provisioning}:patch:notice`],
  'membership.removed': [`${provisioning}:patch:notice`],
}

/** The event types that this server sends, by URI. */
export const securityEvents: readonly string[] = [...new Set(Object.values(eventsByChange).flat())]

/** The event that a receiver asks for to test its stream (SSF 1.0 §8.1.4). */
export const verificationEvent = 'https://schemas.openid.net/secevent/ssf/event-type/verification'

/** The scope value of clients that may manage a stream, and that its events are sent to. */
export const streamScope = 'ssf.manage'

/** Returns the events of a change that a stream is sent. */
export const eventsOf = (
  change: ChangeRecord,
  { eventsRequested, removedUserIds }: Pick<StreamRecord, 'eventsRequested' | 'removedUserIds'>,
): readonly string[] =>
  change.userId !== undefined && removedUserIds.includes(change.userId)
    ? []
    : (eventsByChange[change.type] ?? []).filter((event) => eventsRequested.includes(event))

/** Whether an event is about a resource of SCIM, and not about a user of the receiver (RFC 9967 §2). */
export const isProvisioningEvent = (event: string): boolean => event.startsWith(provisioning)

/** What a message contains until it is signed: a change and the event that it becomes, or a verification. */
export type SecurityEventContent = JsonObject & { readonly event: string }
