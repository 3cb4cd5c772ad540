import {
  addClientSecret as addSecret,
  revokePreviousClientSecrets as revokePreviousSecrets,
  registerClient,
  updateClient as update,
  type ClientRegistration,
} from '@mintmark/core'
import {
  disableClient as disable,
  enableClient as enable,
  type ClientChange,
  type ClientTarget,
  type ClientUpdate,
} from '@mintmark/core/internal'
import { randomIdentifier } from '@mintmark/internal'
import { clientId } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { type AdminContext, type AuditedResult, audit, auditChange } from '../audit/audit.ts'
import { plainJson } from '../audit/audit-log.ts'
import { refuse } from '../error/refusals.ts'
import { isIdentifier } from '../text.ts'
import { clientView, findClient, type ClientView } from './client-view.ts'

/** A client, and the secret if one was created. The secret cannot be read again. */
export interface ClientAndSecret {
  readonly client: ClientView
  readonly clientSecret: string | undefined
}

export function createClient(registration: ClientRegistration, context: AdminContext): Promise<ClientAndSecret> {
  const { storage } = context
  const id = registration.clientId ?? randomIdentifier(context.random)
  return audit(
    {
      name: 'client.created',
      target: target(id),
      run: async () => {
        requireGrantable(registration.scopes ?? [], context)
        // RFC 9110 §15.5.10: another client has this identifier.
        // `registerClient` also refuses the identifier of a removed client.
        if (isIdentifier(id) && (await storage.clients.find(clientId(id))) !== undefined)
          throw refuse('identifier_taken')
        const { client, clientSecret } = await registerClient(
          { ...registration, clientId: id },
          registrationOptions(context),
        )
        return { result: { client: clientView(client), clientSecret }, after: plainJson(clientView(client)) }
      },
    },
    context,
  )
}

const registrationOptions = ({
  storage,
  clock,
  random,
  keys,
  dangerouslyAllowOutbound,
  fetch,
  clientRules,
}: AdminContext): Parameters<typeof registerClient>[1] => ({
  storage,
  clock,
  random,
  dangerouslyAllowOutbound,
  fetch,
  clientRules,
  keys,
})

export const updateClient = (
  client: ClientTarget,
  change: ClientChange,
  context: AdminContext,
): Promise<ClientAndSecret> =>
  audit(
    {
      name: 'client.updated',
      target: target(client.clientId),
      run: () =>
        changeIfGrantable(
          { client, scopes: change.scopes, change: (pinned) => update(pinned, change, registrationOptions(context)) },
          context,
        ),
    },
    context,
  )

export async function disableClient(client: ClientTarget, context: AdminContext): Promise<ClientView> {
  const disabled = await audit(
    {
      name: 'client.disabled',
      target: target(client.clientId),
      protective: true,
      run: () => disableStored(client, context),
    },
    context,
  )
  return disabled.client
}

export async function enableClient(client: ClientTarget, context: AdminContext): Promise<ClientView> {
  const enabled = await audit(
    {
      name: 'client.enabled',
      target: target(client.clientId),
      run: async () => {
        await requireOwner(client, context)
        return changeIfGrantable({ client, change: (pinned) => enable(pinned, context) }, context)
      },
    },
    context,
  )
  return enabled.client
}

/**
 * Storage keeps an agent disabled without its owner, whatever happens meanwhile; this tells the administrator why.
 * @throws AdminError `agent_owner_inactive`.
 */
async function requireOwner({ clientId: id }: ClientTarget, context: AdminContext): Promise<void> {
  const { agent } = await findClient(id, context)
  if (agent === undefined) return
  const { users, identityProviders } = context.storage
  const [owner, provider] = await Promise.all([users.find(agent.ownerUserId), identityProviders.find(agent.providerId)])
  const isOwned = owner?.active === true && owner.providerId === agent.providerId
  if (!isOwned || provider === undefined || provider.disabledAt !== undefined) throw refuse('agent_owner_inactive')
}

/** Removes a client. Disables it first, because disabling checks the expected version and removing does not. */
export const removeClient = (client: ClientTarget, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'client.removed',
      target: target(client.clientId),
      protective: true,
      run: async () => {
        // A removed client cannot be restored, so removing a client requires the same permission as changing it.
        requireGrantable((await findClient(client.clientId, context)).scopes, context)
        const { before } = await disableStored(client, context)
        const { outcome } = await context.storage.clients.remove(clientId(client.clientId), context.clock())
        // RFC 9110 §15.5.5: only one of several concurrent removals succeeds.
        if (outcome === 'absent') throw refuse('client_unknown')
        return { result: undefined, before }
      },
    },
    context,
  )

/** Returns the new secret, which cannot be read again. */
export const addClientSecret = (
  id: string,
  { previousExpiresAt }: { readonly previousExpiresAt?: number | undefined },
  context: AdminContext,
): Promise<string> =>
  auditChange(
    {
      name: 'client.secret_added',
      target: target(id),
      read: async () => clientView(await findClient(id, context)),
      change: async () => {
        requireGrantable((await findClient(id, context)).scopes, context)
        return addSecret(id, previousExpiresAt === undefined ? {} : { previousExpiresAt }, context)
      },
    },
    context,
  )

export const revokePreviousClientSecrets = (id: string, context: AdminContext): Promise<void> =>
  auditChange(
    {
      name: 'client.previous_secrets_ended',
      target: target(id),
      protective: true,
      read: async () => clientView(await findClient(id, context)),
      change: () => revokePreviousSecrets(id, context),
    },
    context,
  )

interface GrantableChange {
  readonly client: ClientTarget
  /** The scope values after the change. */
  readonly scopes?: readonly string[] | undefined
  readonly change: (pinned: ClientTarget) => Promise<ClientUpdate>
}

/**
 * Changes a client whose scope values the actor may grant. The change applies only to the version whose scope values
 * were checked. If the caller named no version and another administrator changed the client first, the change is
 * repeated.
 */
const changeIfGrantable = (
  { client, scopes = [], change }: GrantableChange,
  context: AdminContext,
): Promise<AuditedResult<ClientAndSecret>> =>
  untilSettled(async () => {
    const before = await findClient(client.clientId, context)
    requireGrantable([...before.scopes, ...scopes], context)
    const update = await change({ clientId: client.clientId, version: client.version ?? before.version })
    return update.outcome === 'conflict' && client.version === undefined ? undefined : auditedResult(update)
  })

/**
 * Prevents administrators from creating or taking over a client that may administer more than they may themselves.
 * @param scopes the scope values of the client, before and after the change.
 * @throws AdminError `beyond_own_scopes`.
 */
function requireGrantable(scopes: readonly string[], { mayGrant }: AdminContext): void {
  // RFC 9700 §2.3: the permission to register clients does not include all other permissions.
  if (!scopes.every(mayGrant)) throw refuse('beyond_own_scopes', { pointer: '/scopes' })
}

async function disableStored(client: ClientTarget, context: AdminContext): Promise<AuditedResult<ClientAndSecret>> {
  await findClient(client.clientId, context)
  return auditedResult(await disable(client, context))
}

function auditedResult(update: ClientUpdate): AuditedResult<ClientAndSecret> {
  // RFC 9110 §15.5.5: the client was removed since it was read.
  if (update.outcome === 'absent') throw refuse('client_unknown')
  // RFC 9110 §15.5.13.
  if (update.outcome === 'conflict') throw refuse('version_mismatch')
  const { before, client, clientSecret } = update
  return {
    result: { client: clientView(client), clientSecret },
    before: plainJson(clientView(before)),
    after: plainJson(clientView(client)),
  }
}

const target = (id: string) => ({ kind: 'client' as const, id })
