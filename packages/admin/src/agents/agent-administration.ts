import { clientId, type ClientRecord, type EpochSeconds, type UserId } from '@mintmark/storage-interface'
import type { AgentRecord, AgentsOf, ProviderId } from '@mintmark/storage-interface/stores'

import type { AdminContext } from '../audit/audit.ts'
import { pageOf, type Page, type PageRequest } from '../page.ts'
import { findProvider } from '../providers/provider-view.ts'
import { findUser } from '../users/user-view.ts'

/** Whose agents to list: a user's, or those that a directory provisions. */
type AgentOwner = { readonly userId: string } | { readonly providerId: string }

/**
 * Why an agent is disabled: an administrator has disabled its client; its directory is disabled or removed; its owner is not an active
 * user of the directory; or, if neither is so (any more), the directory or the end of an earlier owner or directory has disabled it.
 */
type AgentEnd = 'administrator' | 'directory_disabled' | 'owner_inactive' | 'directory'

/** An agent that a directory provisions for one of its users. */
interface AgentView {
  readonly clientId: string
  readonly clientName: string
  readonly providerId: string
  readonly ownerUserId: string
  readonly externalId: string | undefined
  readonly createdAt: EpochSeconds
  /** Undefined while it is enabled. */
  readonly disabledAt: EpochSeconds | undefined
  /** Why it is disabled; undefined while it is enabled. */
  readonly endedBy: AgentEnd | undefined
}

/** Agents of people. They are clients, and are changed like clients. */
export interface AgentAdministration {
  /**
   * Lists agents in the order of their identifiers; none if the storage has no agents. Refused: `user_unknown`, `provider_unknown`,
   * `page_invalid`.
   */
  list(owner: AgentOwner, page?: PageRequest): Promise<Page<AgentView>>
}

export const administerAgents = (context: AdminContext): AgentAdministration => ({
  list: (owner, page = {}) => listAgents(owner, page, context),
})

async function listAgents(owner: AgentOwner, page: PageRequest, context: AdminContext): Promise<Page<AgentView>> {
  const { storage } = context
  const of: AgentsOf =
    'userId' in owner
      ? { ownerUserId: (await findUser(owner.userId, context)).userId }
      : { providerId: (await findProvider(owner.providerId, context)).providerId }
  const found = await pageOf(page, {
    read: async ({ after, limit }) =>
      (await storage.agents?.list({ of, after: after === undefined ? undefined : clientId(after), limit })) ?? [],
    key: (client) => client.clientId,
    view: (client) => client,
  })
  const endOf = createEndReader(context)
  const items = await Promise.all(
    found.items.flatMap((client) => (client.agent === undefined ? [] : [agentView(client, client.agent, endOf)])),
  )
  return { ...found, items }
}

type EndReader = (client: ClientRecord, agent: AgentRecord) => Promise<AgentEnd | undefined>

async function agentView(client: ClientRecord, agent: AgentRecord, endOf: EndReader): Promise<AgentView> {
  const { providerId, ownerUserId, externalId } = agent
  return {
    clientId: client.clientId,
    clientName: client.clientName,
    providerId,
    ownerUserId,
    externalId,
    createdAt: client.createdAt,
    disabledAt: client.disabledAt,
    endedBy: await endOf(client, agent),
  }
}

/** Reads each owner and each directory of a page once. */
function createEndReader({ storage }: AdminContext): EndReader {
  const findOwner = readOnce((id: UserId) => storage.users.find(id))
  const findDirectory = readOnce((id: ProviderId) => storage.identityProviders.find(id))
  return async ({ disabledAt }, { providerId, ownerUserId, endedAt }) => {
    if (disabledAt === undefined) return undefined
    // Only the end of an owner or a directory, or the directory itself, sets `endedAt`.
    if (endedAt === undefined) return 'administrator'
    const provider = await findDirectory(providerId)
    if (provider === undefined || provider.disabledAt !== undefined) return 'directory_disabled'
    const owner = await findOwner(ownerUserId)
    return owner?.active === true && owner.providerId === providerId ? 'directory' : 'owner_inactive'
  }
}

/** Returns a function that reads each record once. */
function readOnce<Id, Found>(read: (id: Id) => Promise<Found>): (id: Id) => Promise<Found> {
  const known = new Map<Id, Promise<Found>>()
  return (id) => {
    const reading = known.get(id) ?? read(id)
    known.set(id, reading)
    return reading
  }
}
