import type { Clock, Random } from '@mintmark/core/runtime'
import type { Storage } from '@mintmark/storage-interface'

import type { AdminEvent } from '../audit/admin-event.ts'
import type { SigningAlgorithms } from '../client/signing-algorithms.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import type { LastAdministratorOptions } from '../guard/protect-last-administrators.ts'

/** What a host gives to `createAdministration`. One member is required. */
export interface AdministrationOptions {
  /** The storage of the authorization server and of SCIM: these are the same accounts. */
  readonly storage: Storage
  /**
   * The server's key ring: with it, a client is refused an algorithm that the server does not sign with.
   * @defaultValue None. A client may then be registered with an algorithm that nothing signs with, and gets no ID
   *   token.
   */
  readonly keys?: SigningAlgorithms
  /**
   * What the host keeps about accounts beside the claims of OpenID Connect.
   * @defaultValue None. Accounts have the claims of OpenID Connect.
   */
  readonly customFields?: readonly CustomField[]
  /**
   * Who must not be the last one to go.
   * @defaultValue Nobody is protected. Which role administers is the host's to say.
   */
  readonly lastAdministrators?: LastAdministratorOptions
  /**
   * Seconds for which the log of acts is kept.
   * @defaultValue 34560000, 400 days. A yearly review finds the whole year.
   */
  readonly auditRetention?: number
  /**
   * Receives what was done and what was refused.
   * @defaultValue Failures inside the server go to the console, everything else to the log alone. The log is in
   *   storage, so nothing is lost.
   */
  readonly onEvent?: (event: AdminEvent) => void | Promise<void>
  readonly clock?: Clock
  readonly random?: Random
}
