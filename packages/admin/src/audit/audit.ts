import { randomIdentifier } from '@mintmark/core/runtime'
import type { JsonObject } from '@mintmark/storage-interface'

import type { ActName, Target } from './admin-event.ts'
import { AdminError } from '../error/admin-error.ts'
import { toAdminError } from '../error/to-admin-error.ts'
import type { AdminContext } from './admin-context.ts'
import { plainJson } from '../json/plain-json.ts'

/** An administrative act. */
export interface AuditedAction<Result> {
  readonly name: ActName
  readonly target: Target
  /**
   * Whether it only takes access away. Then it is carried out also while the log is down: who can silence the log
   * must not be able to keep a stolen account alive.
   */
  readonly protective?: true
  /** Does it. What it throws is a refusal, or a failure. */
  readonly run: () => Promise<AuditedResult<Result>>
}

/** What was done: the answer, and what the log may hold of before and after: no secrets. */
export interface AuditedResult<Result> {
  readonly result: Result
  readonly before?: JsonObject | undefined
  readonly after?: JsonObject | undefined
}

/**
 * Carries an act out, and writes it down: that it is about to happen, before it does, and what came of it. An act
 * that cannot be announced does not happen, unless it is protective; one whose end cannot be written down stands, as
 * its announcement does.
 * @throws AdminError whatever the act is refused for; `audit_unavailable` when it could not be announced.
 */
export async function audit<Result>(act: AuditedAction<Result>, acting: AdminContext): Promise<Result> {
  const { actor, record } = acting
  const { name } = act
  const target = loggable(act.target)
  const actId = randomIdentifier(acting.random)
  const write = (stage: Stage, more: JsonObject = {}): Promise<boolean> =>
    writeEntry(name, { actId, stage, actor: plainJson(actor), target: plainJson(target), ...more }, acting)

  const isAnnounced = await write('intended')
  // RFC 9110 §15.6.4: an audit that can be lost is none.
  if (!isAnnounced && act.protective !== true)
    throw refused(new AdminError('audit_unavailable'), { name, target }, acting)
  try {
    const { result, before, after } = await act.run()
    const isWritten = await write('done', { ...(before && { before }), ...(after && { after }) })
    record({
      type: name,
      actor,
      target,
      before,
      after,
      logged: isAnnounced ? (isWritten ? 'whole' : 'intent') : 'nothing',
    })
    return result
  } catch (thrown) {
    const error = refused(toAdminError(thrown), { name, target }, acting)
    await write('refused', { reason: error.reason })
    throw error
  }
}

type Stage = 'intended' | 'done' | 'refused'

async function writeEntry(type: ActName, detail: JsonObject, { auditLog }: AdminContext): Promise<boolean> {
  try {
    await auditLog.append({ log: adminLog, type, detail })
    return true
  } catch {
    // The caller knows what follows from it.
    return false
  }
}

function refused(
  error: AdminError,
  { name, target }: Pick<AuditedAction<unknown>, 'name' | 'target'>,
  { actor, record }: AdminContext,
): AdminError {
  record({
    type: 'act.refused',
    act: name,
    actor,
    target,
    reason: error.reason,
    cause: error.status >= 500 ? error.cause : undefined,
  })
  return error
}

/** A target that was misspelled is written down too, in characters that every store and every reader of logs takes. */
const loggable = ({ kind, id }: Target): Target => ({
  kind,
  id: id.replaceAll(/[\p{Cc}\p{Surrogate}]/gu, '?').slice(0, 600),
})

/** The name of the log of administrative acts. */
export const adminLog = 'admin'
