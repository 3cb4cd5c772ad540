import type { Provisioning, ProvisioningTarget } from '@mintmark/provisioning'

import type { AdminAction } from '../audit/admin-event.ts'
import { plainJson } from '../audit/audit-log.ts'
import { type AdminContext, audit, auditChange, type ProvisioningToAdminister } from '../audit/audit.ts'
import { administerDeliveries, type DeliveryView } from '../deliveries/delivery-administration.ts'
import { refuse } from '../error/refusals.ts'
import type { Page, PageRequest } from '../page.ts'

type Targets = Provisioning['targets']
type NewTarget = Parameters<Targets['create']>[0]
type TargetChange = Parameters<Targets['update']>[1]
type Credential = Parameters<Targets['replaceCredential']>[1]

/**
 * Partners whose SCIM services get users and groups. No method returns a credential. A method throws AdminError if the action is
 * refused or fails. Refused: `provisioning_missing` without the option `provisioning`, and `target_unknown`.
 */
export interface TargetAdministration {
  /**
   * Creates a target that is disabled: compare first, then enable and synchronize it. Refused: `target_id_invalid`, `target_taken`,
   * `target_url_invalid`, `target_credential_invalid`, `target_selection_empty`.
   */
  create(target: NewTarget): Promise<ProvisioningTarget>
  read(id: string): Promise<ProvisioningTarget>
  list(): Promise<readonly ProvisioningTarget[]>
  /** Changes settings. Settings that are left out stay as they are. Refused: `target_selection_empty`. */
  update(id: string, change: TargetChange): Promise<ProvisioningTarget>
  /** Replaces the credential. The previous one is not kept. Refused: `target_credential_invalid`. */
  replaceCredential(id: string, credential: Credential): Promise<void>
  enable(id: string): Promise<ProvisioningTarget>
  /** Pauses a target. Changes are sent once it is enabled again, if they are at most 30 days old. */
  disable(id: string): Promise<ProvisioningTarget>
  /** Removes a target. Its unsent messages are abandoned; the partner's resources stay. */
  remove(id: string): Promise<void>
  /** Compares a target with what the partner has, and changes nothing. Refused: `partner_failed`. */
  compare(id: string): ReturnType<Provisioning['compare']>
  /** Enqueues a message for each user and each group of a target. */
  synchronize(id: string): ReturnType<Provisioning['synchronize']>
  /** Lists the messages to a target that were abandoned, newest first. Refused: `page_invalid`. */
  failures(id: string, page?: PageRequest): Promise<Page<DeliveryView>>
}

export const administerTargets = (context: AdminContext): TargetAdministration => {
  const provisioning = (): ProvisioningToAdminister => {
    // RFC 9110 §15.5.10: the host sends nothing to partners.
    if (context.provisioning === undefined) throw refuse('provisioning_missing')
    return context.provisioning
  }
  const changed = <Result>(name: AdminAction, id: string, change: (targets: Targets) => Promise<Result>) =>
    auditChange(
      {
        name,
        target: { kind: 'provisioning_target', id },
        read: async () => provisioning().targets.read(id),
        change: async () => change(provisioning().targets),
      },
      context,
    )

  return {
    create: (target) =>
      audit(
        {
          name: 'provisioning_target.created',
          target: { kind: 'provisioning_target', id: target.targetId },
          run: async () => {
            const created = await provisioning().targets.create(target)
            return { result: created, after: plainJson(created) }
          },
        },
        context,
      ),
    read: async (id) => provisioning().targets.read(id),
    list: async () => provisioning().targets.list(),
    update: (id, change) => changed('provisioning_target.updated', id, (targets) => targets.update(id, change)),
    replaceCredential: (id, credential) =>
      changed('provisioning_target.credential_replaced', id, (targets) => targets.replaceCredential(id, credential)),
    enable: (id) => changed('provisioning_target.enabled', id, (targets) => targets.enable(id)),
    disable: (id) => changed('provisioning_target.disabled', id, (targets) => targets.disable(id)),
    remove: (id) => removeTarget(id, provisioning, context),
    compare: async (id) => provisioning().compare(id),
    synchronize: (id) =>
      audit(
        {
          name: 'provisioning_target.synchronized',
          target: { kind: 'provisioning_target', id },
          run: async () => {
            const report = await provisioning().synchronize(id)
            return { result: report, after: plainJson(report) }
          },
        },
        context,
      ),
    async failures(id, page = {}) {
      await provisioning().targets.read(id)
      return administerDeliveries(context).list({ ...page, state: 'dead', clientId: id })
    },
  }
}

const removeTarget = (id: string, provisioning: () => ProvisioningToAdminister, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'provisioning_target.removed',
      target: { kind: 'provisioning_target', id },
      run: async () => {
        const before = await provisioning().targets.read(id)
        await provisioning().targets.remove(id)
        return { result: undefined, before: plainJson(before) }
      },
    },
    context,
  )
