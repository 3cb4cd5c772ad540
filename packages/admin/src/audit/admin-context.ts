import type { SigningAlgorithms } from '../client/signing-algorithms.ts'
import type { Actor } from './actor.ts'
import type { AdminOccurrence } from './admin-event.ts'
import type { AuditLog } from './audit-log.ts'
import type { CustomFields } from '../custom-field/custom-field.ts'
import type { LastAdministrators } from '../guard/last-administrators.ts'
import type { Clock, Random } from '@mintmark/core/runtime'
import type { ResourceType } from '@mintmark/scim'
import type { Storage } from '@mintmark/storage-interface'

/** What administration is made of, made once. */
export interface AdminDependencies {
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
  readonly keys: SigningAlgorithms | undefined
  readonly customFields: CustomFields
  /** What filters of accounts are resolved against. */
  readonly accountType: ResourceType
  readonly lastAdministrators: LastAdministrators
  readonly auditLog: AuditLog
}

/** The same in the hands of somebody: nothing is done in nobody's name. */
export interface AdminContext extends AdminDependencies {
  readonly actor: Actor
  readonly record: (occurrence: AdminOccurrence) => void
  /** Whether a client may be given this scope value, or be in other ways taken over that has it: nobody gives more than they have. */
  readonly mayGrant: (scope: string) => boolean
}
