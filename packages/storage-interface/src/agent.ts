import type { ClientRecord } from './client.ts'
import type { ClientId, ProviderId, UserId } from './values.ts'

/** Whose agents to list. */
export type AgentsOf = { readonly providerId: ProviderId } | { readonly ownerUserId: UserId }

/**
 * Agents: the clients that have `agent`. `ClientStore` writes them.
 *
 * Law: the methods of other stores that end an owner or a provider disable the agents in the same atomic step, as if `disabledAt` and
 * `agent.endedAt` were set by `clients.compareAndSwap`:
 * - `users.deactivate` and `remove`, and the methods of `provisionedUsers` that deactivate, remove or release a user;
 * - `identityProviders.compareAndSwap` if it sets `disabledAt`, and `identityProviders.remove`.
 *
 * Nothing enables an agent again but `clients.compareAndSwap`. `users.revokeAccess` does not end agents.
 */
export interface AgentStore {
  /** Returns at most `limit` agents whose identifiers come after `after`, in the order of their identifiers. */
  list(page: {
    readonly of: AgentsOf
    readonly after: ClientId | undefined
    readonly limit: number
  }): Promise<readonly ClientRecord[]>
}
