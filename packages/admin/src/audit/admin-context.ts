import type { KeyRing } from '@mintmark/core'
import type { Clock, Random } from '@mintmark/internal'
import type { ResourceType } from '@mintmark/scim'
import type { AdminStorage } from '@mintmark/storage-interface'

import type { CustomFields } from '../custom-fields/custom-field.ts'
import type { LastAdministrators } from '../users/last-administrators.ts'
import type { Actor, AdminOccurrence } from './admin-event.ts'
import type { AuditLog } from './audit-log.ts'

/** The algorithms that a key ring signs with. */
export type SigningAlgorithms = Pick<KeyRing, 'algorithms'>

/** The parts of administration that do not depend on who administers. They are created once. */
export interface AdminDependencies {
  readonly storage: AdminStorage
  readonly clock: Clock
  readonly random: Random
  readonly keys: SigningAlgorithms | undefined
  readonly customFields: CustomFields
  /** The attributes that filters of users are resolved against. */
  readonly userType: ResourceType
  readonly lastAdministrators: LastAdministrators
  readonly auditLog: AuditLog
}

/** The dependencies together with the actor: every action is performed in somebody's name. */
export interface AdminContext extends AdminDependencies {
  readonly actor: Actor
  readonly record: (occurrence: AdminOccurrence) => void
  /**
   * Whether the actor may create or change a client that has this scope value. An administrator cannot give a client
   * more than they have themselves.
   */
  readonly mayGrant: (scope: string) => boolean
}
