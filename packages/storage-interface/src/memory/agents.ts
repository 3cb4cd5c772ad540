import type { AgentRecord, ClientRecord } from '../client.ts'
import type { AgentsOf, AgentStore } from '../agent.ts'
import type { EpochSeconds } from '../values.ts'
import type { ClientTable, IdentityProviderTable } from './client-table.ts'
import { type RevocationTable, writeRevocation } from './revocation-table.ts'
import { frozenCopy, type SchedulerHook } from './rows.ts'
import { presentUser, type UserTable } from './users.ts'

interface ClientTables {
  readonly clients: ClientTable
  readonly revocations: RevocationTable
}

interface OwnerTables {
  readonly users: UserTable
  readonly identityProviders: IdentityProviderTable
}

export const createMemoryAgents = (
  { clients }: Pick<ClientTables, 'clients'>,
  scheduler: SchedulerHook,
): AgentStore => ({
  async list({ of, after, limit }) {
    await scheduler()
    const agents = agentsOf(clients, of).filter(({ clientId }) => after === undefined || clientId > after)
    return agents.toSorted((one, other) => (one.clientId < other.clientId ? -1 : 1)).slice(0, limit)
  },
})

type Agent = ClientRecord & { readonly agent: AgentRecord }

const agentsOf = ({ agents, present }: ClientTable, of: AgentsOf): readonly Agent[] =>
  [...agents].flatMap((id) => {
    const client = present.get(id)
    return client !== undefined && isAgent(client) && isOf(client.agent, of) ? [client] : []
  })

const isAgent = (client: ClientRecord): client is Agent => client.agent !== undefined

const isOf = (agent: AgentRecord, of: AgentsOf): boolean =>
  'providerId' in of ? agent.providerId === of.providerId : agent.ownerUserId === of.ownerUserId

/** Whether another agent of the provider has the same `externalId`. */
export const isAgentTaken = (clients: ClientTable, agent: AgentRecord | undefined): boolean =>
  agent?.externalId !== undefined &&
  agentsOf(clients, agent).some((other) => other.agent.externalId === agent.externalId)

/** Disables the agents of a user or a provider. Call it in the step that ends the user or the provider. */
export function endAgents({ clients, revocations }: ClientTables, of: AgentsOf, at: EpochSeconds): void {
  for (const client of agentsOf(clients, of)) {
    if (client.disabledAt !== undefined) continue
    const record = { ...ended(client, at), version: client.version + 1 }
    clients.present.set(client.clientId, frozenCopy(record))
    writeRevocation(revocations, { kind: 'client', clientId: client.clientId }, at)
  }
}

/** Returns a client as it is stored: an agent is enabled only while its owner is active and its provider is enabled. */
export function endedUnlessOwned(tables: OwnerTables, client: ClientRecord, before?: ClientRecord): ClientRecord {
  if (!isAgent(client) || client.disabledAt !== undefined) return client
  if (before !== undefined && isOwned(tables, client.agent)) return client
  return ended(client, before?.disabledAt ?? client.agent.updatedAt)
}

function isOwned({ users, identityProviders }: OwnerTables, { ownerUserId, providerId }: AgentRecord): boolean {
  const owner = presentUser(users, ownerUserId)
  const provider = identityProviders.present.get(providerId)
  const isEnabled = provider !== undefined && provider.disabledAt === undefined
  return isEnabled && owner?.active === true && owner.providerId === providerId
}

const ended = (client: Agent, at: EpochSeconds): ClientRecord => ({
  ...client,
  disabledAt: at,
  agent: { ...client.agent, endedAt: at },
})
