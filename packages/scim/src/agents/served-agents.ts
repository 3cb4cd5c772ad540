// One file, because the operations of an agent share how it is found, rendered and written.
import { type Journal, runInTurns, utf8Length } from '@mintmark/internal'
import { clientId, type ClientRecord, type JsonObject, userId, type UserId } from '@mintmark/storage-interface'
import { type AgentStore, jsonText, type ProviderId, untilSettled } from '@mintmark/storage-interface/stores'

import { checkPreconditions } from '../call/scim-message.ts'
import { recordTolerances, type ScimCall } from '../call/scim-call.ts'
import { listInMemory } from '../custom/list-in-memory.ts'
import type { References } from '../custom/references.ts'
import type { ServedType } from '../custom/resource-endpoints.ts'
import { refuse } from '../error/scim-error.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import { applyAssignments } from '../patch/apply-patch.ts'
import {
  comparableResource,
  projectResource,
  renderMeta,
  requireActive,
  requireStatedActive,
} from '../resource/resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import { agentResourceType } from '../schema/agent-schema.ts'
import { getMember, getText, isArray, isObject, sameValue, toObject } from '../values/json.ts'
import { type Agent, type AgentClientDependencies, nameOf, newAgent } from './agent-client.ts'

interface AgentDependencies extends AgentClientDependencies {
  readonly store: AgentStore
  readonly limits: Pick<ScimLimits, 'resourceBytes' | 'agents'>
  readonly journal: Journal<ScimOccurrence>
  readonly references: References
}

/**
 * Serves agents: clients that belong to a user of the provider. `active` is whether the client is enabled, so that a directory reads
 * that an agent has ended with its owner.
 */
export function servedAgents(deps: AgentDependencies): ServedType<Agent> {
  const { storage, references } = deps
  const complete = (agent: Agent, baseUrl: string): JsonObject => completeAgent(agent, baseUrl, references)

  return {
    listed: {
      resourceType: agentResourceType,
      locationOf,
      async list({ providerId, ...query }, { projection, baseUrl, turns }) {
        const rows = (await allAgents(providerId, deps)).map((agent) => ({
          id: agent.clientId,
          comparable: () => comparableResource(complete(agent, baseUrl), agentResourceType),
          record: () => jsonText(projectResource(complete(agent, baseUrl), projection)),
        }))
        return listInMemory(rows, query, turns)
      },
    },
    idOf: (agent) => agent.clientId,
    versionOf,
    find: (call) => findAgent(call, storage),
    checkBody: requireStatedActive,
    show: async (agent, { projection, baseUrl }) => jsonText(projectResource(complete(agent, baseUrl), projection)),
    writes: {
      patchAnswer: 'resource',
      create: (document, call) => createAgent(references.strip(document), call, deps),
      replace: (document, call) =>
        changeAgent(
          call,
          deps,
          (current) =>
            // RFC 7644 §3.5.1 lets the server choose the value of an omitted attribute: omitting `active` enables no agent.
            replaceResource(current, { active: getMember(current, 'active') === true, ...document }, agentResourceType)
              .resource,
        ),
      patch: (parse, call) =>
        changeAgent(call, deps, async (current) => {
          const { assignments, context } = await parse()
          const { resource } = await runInTurns(applyAssignments(current, assignments, context), call.turns)
          recordTolerances(context, call, deps.journal)
          return requireActive(resource)
        }),
      remove: (call) => removeAgent(call, deps),
    },
  }
}

const locationOf = (id: string, baseUrl: string): string => `${baseUrl}/Agents/${encodeURIComponent(id)}`

/** Returns the entity tag (RFC 7644 §3.14). */
const versionOf = ({ version }: Pick<Agent, 'version'>): string => `W/"${version}"`

function completeAgent(client: Agent, baseUrl: string, references: References): JsonObject {
  const { agent, clientId: id, createdAt } = client
  const updatedAt = agent.endedAt !== undefined && agent.endedAt > agent.updatedAt ? agent.endedAt : agent.updatedAt
  const meta = renderMeta({
    resourceType: 'Agent',
    record: { createdAt, updatedAt },
    location: locationOf(id, baseUrl),
    version: versionOf(client),
  })
  return toObject([
    ...Object.entries(references.render(documentOf(client), baseUrl)),
    ['meta', JSON.parse(meta) as JsonObject],
  ])
}

/** Returns the resource that PUT and PATCH change. */
const documentOf = ({ agent: { resource, externalId }, clientId: id, disabledAt }: Agent): JsonObject =>
  toObject([...Object.entries(resource), ['id', id], ['externalId', externalId], ['active', disabledAt === undefined]])

const isAgentOf = (client: ClientRecord | undefined, provider: ProviderId): client is Agent =>
  client?.agent?.providerId === provider

/** @throws ScimError 404 — reason `resource_not_found`. */
async function findAgent({ caller, id }: ScimCall, { clients }: AgentDependencies['storage']): Promise<Agent> {
  const client = isIdentifier.test(id) ? await clients.find(clientId(id)) : undefined
  // RFC 7644 §3.12, 404, including for a client that is no agent, and an agent of another provider (RFC 7644 §6).
  if (!isAgentOf(client, caller.provider.providerId)) throw refuse('resource_not_found')
  return client
}

/** RFC 6749 Appendix A.1. Some stores cannot look up other characters. */
const isIdentifier = /^[\x21-\x7e]{1,255}$/

/** Returns all agents of a provider, at most `limits.agents` and one more. */
async function allAgents(
  provider: ProviderId,
  { store, limits }: Pick<AgentDependencies, 'store' | 'limits'>,
): Promise<readonly Agent[]> {
  const clients = await store.list({ of: { providerId: provider }, after: undefined, limit: limits.agents + 1 })
  return clients.filter((client): client is Agent => isAgentOf(client, provider))
}

async function createAgent(document: JsonObject, call: ScimCall, deps: AgentDependencies): Promise<Agent> {
  const { provider } = call.caller
  const { storage, limits } = deps
  const agent = {
    providerId: provider.providerId,
    ...(await checkedState({ document, before: {} }, call, deps)),
    endedAt: call.now,
  }
  const agents = await allAgents(provider.providerId, deps)
  if (agent.externalId !== undefined && agents.some((other) => other.agent.externalId === agent.externalId))
    throw refuse('external_id_taken')
  if (agents.length >= limits.agents) throw refuse('resources_too_many')

  const isActive = getMember(document, 'active') !== false
  if (isActive) await requireActiveOwner(agent.ownerUserId, call, deps)
  const created = { ...(await newAgent(agent, provider, deps)), disabledAt: call.now }
  const { outcome } = await storage.clients.insert(created)
  // The identifier is random, so another agent has the externalId.
  if (outcome === 'taken') throw refuse('external_id_taken')
  recordChange(['created', created], call, deps)
  if (!isActive) return created

  const enabled = { ...created, disabledAt: undefined, agent: { ...agent, endedAt: undefined } }
  const swapped = await storage.clients.compareAndSwap(enabled, created.version)
  return swapped.outcome === 'swapped' && isAgentOf(swapped.record, provider.providerId) ? swapped.record : created
}

/** Changes an agent. After a conflict, repeats the change on the new state, unless the request names a version. */
const changeAgent = (
  call: ScimCall,
  deps: AgentDependencies,
  change: (document: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<Agent> =>
  untilSettled(async () => {
    const current = await findAgent(call, deps.storage)
    checkPreconditions(call.request, versionOf(current))
    const before = documentOf(current)
    const document = deps.references.strip(await change(before))
    // RFC 7644 §3.5.2.1: a write without changes keeps version and date.
    if (sameValue(before, document)) return current

    const changed = { ...current.agent, ...(await checkedState({ document, before }, call, deps)) }
    const next = await withActivity({ ...current, agent: changed }, { document, call, deps })
    const swapped = await deps.storage.clients.compareAndSwap(next, current.version)
    // Another write came first: the change is made again, on its result.
    if (swapped.outcome !== 'swapped') return undefined
    recordChange(['changed', current], call, deps)
    return { ...swapped.record, agent: swapped.record.agent ?? next.agent }
  })

/** Returns the agent enabled or disabled, as the document says. */
async function withActivity(
  client: Agent,
  {
    document,
    call,
    deps,
  }: { readonly document: JsonObject; readonly call: ScimCall; readonly deps: AgentDependencies },
): Promise<Agent> {
  const { agent, disabledAt } = client
  const named = { ...client, clientName: nameOf(agent.resource) ?? client.clientId }
  const isBlocked = disabledAt !== undefined && agent.endedAt === undefined
  if (getMember(document, 'active') === false) {
    if (isBlocked) return named
    const endedAt = agent.endedAt ?? call.now
    return { ...named, disabledAt: disabledAt ?? endedAt, agent: { ...agent, endedAt } }
  }
  // RFC 7644 §3.12, 403: only administrators enable what an administrator has disabled.
  if (isBlocked) throw refuse('agent_blocked')
  await requireActiveOwner(agent.ownerUserId, call, deps)
  return { ...named, disabledAt: undefined, agent: { ...agent, endedAt: undefined } }
}

/** @throws ScimError invalidValue — reason `agent_owner_inactive`. Storage checks it again in the write. */
async function requireActiveOwner(
  owner: UserId,
  { caller }: ScimCall,
  { storage }: Pick<AgentDependencies, 'storage'>,
): Promise<void> {
  const user = await storage.users.find(owner)
  // RFC 7644 §3.12 invalidValue: an agent cannot outlive its owner.
  if (user?.active !== true || user.providerId !== caller.provider.providerId)
    throw refuse('agent_owner_inactive', { attribute: 'owners' })
}

/** Checks a document, and returns what of it is stored. */
async function checkedState(
  { document, before }: { readonly document: JsonObject; readonly before: JsonObject },
  { caller, baseUrl, waitForRoom, turns, signal, now }: ScimCall,
  { references, limits }: Pick<AgentDependencies, 'references' | 'limits'>,
) {
  const externalId = getText(document, 'externalId') ?? getText(before, 'externalId')
  const isNew = getMember(before, 'id') === undefined
  // RFC 7643 §7 immutable: the identifier under which the provider finds the agent does not change.
  if (!isNew && externalId !== getText(before, 'externalId'))
    throw refuse('attribute_immutable', { attribute: 'externalId' })
  if (externalId !== undefined && externalId.length > 255) throw refuse('value_too_long', { attribute: 'externalId' })
  await references.check(document, before, {
    providerId: caller.provider.providerId,
    baseUrl,
    waitForRoom,
    turns,
    signal,
  })
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  // RFC 9110 §15.5.14: the same limit applies to users.
  if (utf8Length(JSON.stringify(resource)) > limits.resourceBytes) throw refuse('resource_too_large')
  return { externalId, ownerUserId: accountableOwner(document), resource, updatedAt: now }
}

/** Attributes that are stored separately, or that the server assigns. */
const excludedAttributes: ReadonlySet<string> = new Set(['id', 'externalId', 'active', 'meta'])

/** Returns the owner with whom the agent ends: the primary one, or else the first. */
function accountableOwner(document: JsonObject): UserId {
  const owners = getMember(document, 'owners')
  const values = isArray(owners) ? owners.filter(isObject) : []
  const owner = values.find((value) => getMember(value, 'primary') === true) ?? values[0]
  const id = owner && getText(owner, 'value')
  // RFC 7644 §3.12 invalidValue: nobody would be accountable.
  if (id === undefined) throw refuse('value_required', { attribute: 'owners' })
  return userId(id)
}

/** Removes an agent. Disables it first, because that write can check the version. */
const removeAgent = (call: ScimCall, deps: AgentDependencies): Promise<'removed'> =>
  untilSettled(async () => {
    const { storage } = deps
    const current = await findAgent(call, storage)
    checkPreconditions(call.request, versionOf(current))
    const { disabledAt = call.now, agent } = current
    const endedAt = current.disabledAt === undefined ? call.now : agent.endedAt
    const disabled = { ...current, disabledAt, agent: { ...agent, endedAt } }
    const { outcome } = await storage.clients.compareAndSwap(disabled, current.version)
    if (outcome !== 'swapped') return undefined
    const removal = await storage.clients.remove(current.clientId, call.now)
    // RFC 7644 §3.6: of concurrent DELETE requests, one succeeds.
    if (removal.outcome === 'absent') throw refuse('resource_not_found')
    recordChange(['removed', current], call, deps)
    return 'removed' as const
  })

const recordChange = (
  [kind, { clientId: resourceId }]: readonly ['created' | 'changed' | 'removed', Agent],
  { caller, request }: ScimCall,
  { journal }: Pick<AgentDependencies, 'journal'>,
): void =>
  journal.record(request, {
    type: `resource.${kind}`,
    providerId: caller.provider.providerId,
    resourceType: 'Agent',
    resourceId,
  })
