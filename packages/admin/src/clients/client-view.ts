import { clientId, type ClientRecord, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import type { AgentRecord } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/refusals.ts'
import { isIdentifier } from '../text.ts'

/** A client as administrators see it: the stored record without the digests of its secrets. */
export interface ClientView extends Omit<ClientRecord, 'secrets' | 'selfManagement' | 'agent'> {
  readonly secrets: readonly SecretView[]
  /** For an agent that a directory provisions, without its SCIM resource. */
  readonly agent: Omit<AgentRecord, 'resource' | 'updatedAt'> | undefined
}

/** The times of a secret. The secret itself is never shown again. */
export interface SecretView {
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds | undefined
  /** Accurate to within an hour; undefined if the secret has not been used. */
  readonly lastUsedAt: EpochSeconds | undefined
}

/** @throws AdminError `client_unknown`. */
export async function findClient(id: string, { storage }: { readonly storage: AdminStorage }): Promise<ClientRecord> {
  const client = isIdentifier(id) ? await storage.clients.find(clientId(id)) : undefined
  if (client === undefined) throw refuse('client_unknown')
  return client
}

export const clientView = ({
  secrets,
  agent,
  selfManagement: _selfManagement,
  ...client
}: ClientRecord): ClientView => ({
  ...client,
  agent: agent && agentView(agent),
  secrets: secrets.map(secretView),
})

const agentView = ({ resource: _resource, updatedAt: _updatedAt, ...agent }: AgentRecord): ClientView['agent'] => agent

/** Removes the digest from a secret. */
export const secretView = ({ createdAt, expiresAt, lastUsedAt }: SecretView): SecretView => ({
  createdAt,
  expiresAt,
  lastUsedAt,
})
