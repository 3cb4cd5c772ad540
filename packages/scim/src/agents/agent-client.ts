import type { ClientRegistration } from '@mintmark/core'
import { completeMetadata, newClientRecord, prepareClient } from '@mintmark/core/internal'
import { cleanName, randomIdentifier, type Clock, type Random } from '@mintmark/internal'
import { clientId, type ClientRecord, type JsonObject, type ScimStorage } from '@mintmark/storage-interface'
import type { AgentRecord, IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { getText } from '../values/json.ts'

/** A client that is an agent. */
export type Agent = ClientRecord & { readonly agent: AgentRecord }

/** What the client of a new agent may do, and how it authenticates. */
interface AgentClient extends Omit<Partial<ClientRegistration>, 'clientId' | 'clientName'> {}

/** Options of agents. */
export interface AgentOptions {
  /**
   * Decides what the client of a new agent may do, and how it authenticates: with its own keys (`jwks`, `jwksUri`) or with the JWT of
   * its platform (`kubernetesServiceAccount` and others of `@mintmark/core`). Called once, before the agent is stored. It cannot
   * have a client secret, because nobody could receive it.
   * @defaultValue The grant `client_credentials`, no scope values and no credential: an administrator registers them.
   */
  readonly clientFor?: (agent: NewAgent) => AgentClient | Promise<AgentClient>
}

/** An agent that a directory creates. */
interface NewAgent {
  readonly providerId: string
  /** The user who is accountable for it. */
  readonly ownerUserId: string
  /** The SCIM resource of the directory, whose names and values nobody has checked. */
  readonly resource: JsonObject
}

export interface AgentClientDependencies {
  readonly storage: ScimStorage
  readonly random: Random
  readonly clock: Clock
  readonly agents: AgentOptions
}

/**
 * Creates the record of a new agent, which belongs to the organization of its provider.
 * @throws ClientMetadataError and TypeError when the host's `clientFor` returns a registration that is not valid.
 */
export async function newAgent(
  agent: AgentRecord,
  provider: IdentityProviderRecord,
  { storage, random, clock, agents }: AgentClientDependencies,
): Promise<Agent> {
  const { ownerUserId, resource, updatedAt: now } = agent
  const id = randomIdentifier(random)
  const clientName = nameOf(resource) ?? id
  const chosen = await agents.clientFor?.({ providerId: provider.providerId, ownerUserId, resource })
  const metadata = { ...withoutCredential, ...organizationOf(provider), ...chosen, clientName }
  if (chosen !== undefined) {
    if (metadata.tokenEndpointAuthMethod?.startsWith('client_secret') ?? false)
      throw new TypeError('agents.clientFor: an agent cannot have a client secret, because nobody could receive it.')
    // Checks the registration like one of an administrator, and writes nothing.
    const origin = { origin: 'directory', selfManagement: undefined } as const
    await prepareClient({ ...metadata, clientId: id }, origin, { storage, random, clock })
  }
  const record = newClientRecord(
    { clientId: clientId(id), ...completeMetadata(metadata) },
    { origin: 'directory', now },
  )
  return { ...record, agent }
}

/** Without keys, no credential can be valid. */
const withoutCredential = {
  grantTypes: ['client_credentials'],
  tokenEndpointAuthMethod: 'private_key_jwt',
  scopes: [],
} as const

const organizationOf = ({ organizationId }: IdentityProviderRecord): { readonly organizationId?: string } =>
  organizationId === undefined ? {} : { organizationId }

/**
 * Returns the name of an agent, which administrators see as the name of its client: the name that the directory gives it, as far
 * as a client can have it.
 */
export const nameOf = (resource: JsonObject): string | undefined =>
  [getText(resource, 'displayName'), getText(resource, 'agentUserName')]
    // Cuts between code points, because half of a surrogate pair cannot be stored.
    .map((name) =>
      Array.from(cleanName(name ?? '').trim())
        .slice(0, longestName)
        .join('')
        .trim(),
    )
    .find((name) => name !== '')

/** In code points, each of which may count twice for the longest name of a client. */
const longestName = 100
