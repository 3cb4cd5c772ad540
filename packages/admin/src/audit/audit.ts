import type { KeyRing, StoredKeyRing } from '@mintmark/core'
import type { ClientRules } from '@mintmark/core/internal'
import { type Clock, type Random, randomIdentifier } from '@mintmark/internal'
import type { Provisioning } from '@mintmark/provisioning'
import type { ResourceType } from '@mintmark/scim'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'

import type { CustomFields } from '../custom-fields/custom-field.ts'
import { type AdminError, refuse, toAdminError } from '../error/refusals.ts'
import type { LastAdministrators } from '../last-administrators/last-administrators.ts'
import type { Actor, AdminAction, AdminOccurrence, AuditTarget } from './admin-event.ts'
import { type AuditLog, adminLog, plainJson } from './audit-log.ts'

/** An action for `audit` to run. */
export interface AuditedAction<Result> {
  readonly name: AdminAction
  readonly target: AuditTarget
  /**
   * Whether the action only takes access away. It is then performed even while the log is down: an attacker who can
   * stop the log must not be able to keep a stolen account active.
   */
  readonly protective?: true
  /** Performs the action. Throws if the action is refused or fails. */
  readonly run: () => Promise<AuditedResult<Result>>
}

/** The result of an action, and the record before and after it, without secrets, for the log. */
export interface AuditedResult<Result> {
  readonly result: Result
  readonly before?: JsonObject | undefined
  readonly after?: JsonObject | undefined
}

/**
 * Performs an action between two log entries: one with the intention, written before the action, and one with the
 * outcome. If the first entry cannot be written, the action is not performed, unless it is protective. If the second
 * entry cannot be written, the action is not undone, because the first entry documents it.
 * @throws AdminError for any refusal of the action; `audit_unavailable` when the first entry could not be written.
 */
export async function audit<Result>(action: AuditedAction<Result>, context: AdminContext): Promise<Result> {
  const { actor, record } = context
  const { name } = action
  const target = loggableTarget(action.target)
  const actId = randomIdentifier(context.random)
  const write = (stage: Stage, more: JsonObject = {}): Promise<boolean> =>
    writeEntry(name, { actId, stage, actor: plainJson(actor), target: plainJson(target), ...more }, context)

  const isIntentLogged = await write('intended')
  // RFC 9110 §15.6.4: the server cannot perform the action now, because it would have no audit entry.
  if (!isIntentLogged && action.protective !== true)
    throw recordRefusal(refuse('audit_unavailable'), { name, target }, context)
  try {
    const { result, before, after } = await action.run()
    const isOutcomeLogged = await write('done', { ...(before && { before }), ...(after && { after }) })
    record({
      type: name,
      actor,
      target,
      before,
      after,
      logged: isIntentLogged ? (isOutcomeLogged ? 'whole' : 'intent') : isOutcomeLogged ? 'outcome' : 'nothing',
    })
    return result
  } catch (thrown) {
    const error = recordRefusal(toAdminError(thrown), { name, target }, context)
    // A storage that fails after a change, or while it confirms one, leaves it open whether the change was made.
    await write(error.status >= 500 ? 'failed' : 'refused', { reason: error.reason })
    throw error
  }
}

/** An action that changes one record. The log entry of its outcome contains the record before and after the change. */
export interface AuditedChange<Result> extends Omit<AuditedAction<Result>, 'run'> {
  /** Reads the record as administrators see it. */
  readonly read: () => Promise<object>
  readonly change: () => Promise<Result>
}

/** Audits a change. Reads the record before and after the change for the log. */
export const auditChange = <Result>(
  { read, change, ...action }: AuditedChange<Result>,
  context: AdminContext,
): Promise<Result> =>
  audit(
    {
      ...action,
      run: async () => {
        const before = plainJson(await read())
        const result = await change()
        return { result, before, after: plainJson(await read()) }
      },
    },
    context,
  )

/** `failed`: the action may have been performed, in whole or in part. */
type Stage = 'intended' | 'done' | 'refused' | 'failed'

async function writeEntry(type: AdminAction, detail: JsonObject, { auditLog }: AdminContext): Promise<boolean> {
  try {
    await auditLog.append({ log: adminLog, type, detail })
    return true
  } catch {
    // `audit` then refuses the action, or says in its event that the entry is missing.
    return false
  }
}

function recordRefusal(
  error: AdminError,
  { name, target }: Pick<AuditedAction<unknown>, 'name' | 'target'>,
  { actor, record }: AdminContext,
): AdminError {
  record({
    type: 'action.refused',
    action: name,
    actor,
    target,
    reason: error.reason,
    cause: error.status >= 500 ? error.cause : undefined,
  })
  return error
}

/** Shortens the identifier and replaces characters that some stores reject, because a caller may send any string. */
const loggableTarget = ({ kind, id }: AuditTarget): AuditTarget => ({
  kind,
  id: id.replaceAll(/[\p{Cc}\p{Surrogate}]/gu, '?').slice(0, 600),
})

/**
 * The parts of a key ring that administration uses: the signing algorithms, the secrets that seal webhook secrets, and
 * the list of keys.
 */
export type AdministrationKeys = Pick<KeyRing, 'algorithms'> &
  Partial<Pick<KeyRing, 'deriveSecrets'> & Pick<StoredKeyRing, 'list'>>

/** The part of `createProvisioning` that administration uses. */
export type ProvisioningToAdminister = Pick<Provisioning, 'targets' | 'compare' | 'synchronize'>

/** The parts of administration that do not depend on the actor. They are created once. */
export interface AdminDependencies {
  readonly storage: AdminStorage
  readonly clock: Clock
  readonly random: Random
  readonly keys: AdministrationKeys | undefined
  /** Origins that URLs of clients may have although they are not public. */
  readonly dangerouslyAllowOutbound: readonly string[] | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly clientRules: ClientRules | undefined
  readonly customFields: CustomFields
  /** The attributes that filters of users can name. */
  readonly userType: ResourceType
  readonly lastAdministrators: LastAdministrators
  /** The partners that get users and groups; undefined when the host has none. */
  readonly provisioning: ProvisioningToAdminister | undefined
  readonly auditLog: AuditLog
  /** The path of the page for the holders of set-up links, below the issuer. */
  readonly setupPath: string
}

/** The dependencies together with the actor: every action is performed in somebody's name. */
export interface AdminContext extends AdminDependencies {
  readonly actor: Actor
  readonly record: (occurrence: AdminOccurrence) => void
  /**
   * Whether the actor may create or change a client that has this scope value. Administrators cannot give a client more
   * access than they have themselves.
   */
  readonly mayGrant: (scope: string) => boolean
}
