import type { AgentsOf } from '../../agent.ts'
import type { AgentRecord, ClientRecord } from '../../client.ts'
import type { ScimStorage } from '../../storage.ts'
import { clientId, providerId, userId } from '../../values.ts'
import { aClientRecord, aUser, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { aProviderRecord, aProvisionedState, aProvisionedUser } from '../provisioning-fixtures.ts'
import { allRevocations } from './revocation-laws.ts'

const provider = aProviderRecord()
const ada = aProvisionedUser('ada')
const ownerChange = { providerId: ada.providerId, userId: ada.userId, now: nowPlus(9) }

/** Everything that ends the agents of a user or a provider. */
const endsOfAgents: readonly { readonly end: string; readonly by: (storage: ScimStorage) => Promise<unknown> }[] = [
  { end: 'that blocks its owner', by: ({ users }) => users.deactivate(ada.userId, nowPlus(9)) },
  { end: 'that removes its owner', by: ({ users }) => users.remove(ada.userId, nowPlus(9)) },
  {
    end: 'in which the provider deactivates its owner',
    by: ({ provisionedUsers }) =>
      provisionedUsers.compareAndSwap({
        ...ownerChange,
        version: 1,
        state: aProvisionedState('ada', { active: false }),
      }),
  },
  {
    end: 'in which the provider removes its owner',
    by: ({ provisionedUsers }) => provisionedUsers.remove({ ...ownerChange, version: undefined }),
  },
  {
    end: 'in which the provider releases its owner',
    by: ({ provisionedUsers }) => provisionedUsers.release({ ...ownerChange, version: undefined }),
  },
  {
    end: 'that disables its provider',
    by: ({ identityProviders }) => identityProviders.compareAndSwap({ ...provider, disabledAt: nowPlus(9) }, 1),
  },
  {
    end: 'that removes its provider',
    by: ({ identityProviders }) => identityProviders.remove(provider.providerId, nowPlus(9)),
  },
]

/** The laws of a storage whose directories provision agents, which belong to people. */
export const agentLaws: readonly StorageLaw<ScimStorage>[] = [
  law('agents: a new agent is disabled until it is enabled while its owner is active', async ({ storage, same }) => {
    await storage.identityProviders.insert(provider)
    await storage.provisionedUsers.insert(ada)

    await storage.clients.insert(anAgent())

    const ended = { disabledAt: nowPlus(1), endedAt: nowPlus(1), version: 1 }
    same(await stateOf(storage), ended, 'the new agent')
    same(await enable(storage), { disabledAt: undefined, endedAt: undefined, version: 2 }, 'what enabling returns')
    same(await stateOf(storage), { disabledAt: undefined, endedAt: undefined, version: 2 }, 'the agent after that')
  }),

  ...endsOfAgents.map(({ end, by }) =>
    law<ScimStorage>(`agents: an agent is disabled in the step ${end}`, async ({ storage, server, same }) => {
      await prepare(storage)
      await storage.clients.insert(anAgent({}, 'other'))

      await by(storage)

      same(await stateOf(server(1)), { disabledAt: nowPlus(9), endedAt: nowPlus(9), version: 3 }, 'the agent')
      same(
        await stateOf(storage, 'other'),
        { disabledAt: nowPlus(1), endedAt: nowPlus(1), version: 1 },
        'a disabled one',
      )
      const told = (await allRevocations(storage)).filter(({ kind }) => kind === 'client')
      same(told, [{ kind: 'client', clientId: clientId('agent') }], 'what the revocations say')
      same(await enable(storage), { disabledAt: nowPlus(9), endedAt: nowPlus(9), version: 4 }, 'enabling it')
    }),
  ),

  law('agents: nothing but a change of the agent enables it again', async ({ storage, same }) => {
    await prepare(storage)
    await storage.users.deactivate(ada.userId, nowPlus(9))

    await storage.users.reactivate(ada.userId, nowPlus(10))

    same(await stateOf(storage), { disabledAt: nowPlus(9), endedAt: nowPlus(9), version: 3 }, 'with an active owner')
    same(await enable(storage), { disabledAt: undefined, endedAt: undefined, version: 4 }, 'enabled by a change')
  }),

  law('agents: revoking the access of the owner does not end the agent', async ({ storage, same }) => {
    await prepare(storage)

    await storage.users.revokeAccess(ada.userId, nowPlus(9))

    same(await stateOf(storage), { disabledAt: undefined, endedAt: undefined, version: 2 }, 'the agent')
  }),

  law('agents: only an active user of the provider can be the owner of an enabled agent', async ({ storage, same }) => {
    await prepare(storage)
    await storage.users.insert(aUser({ userId: userId('user-host') }))
    await storage.provisionedUsers.insert(aProvisionedUser('eve', { providerId: providerId('provider-2') }))
    await storage.provisionedUsers.insert(
      aProvisionedUser('off', { state: aProvisionedState('off', { active: false }) }),
    )

    for (const owner of ['user-host', 'user-eve', 'user-off', 'user-none'])
      same((await enable(storage, { ownerUserId: userId(owner) }))?.disabledAt, nowPlus(1), owner)
    same((await enable(storage, { ownerUserId: ada.userId }))?.disabledAt, undefined, 'an active user')
  }),

  law('agents: after the owner was replaced, only the end of the new owner counts', async ({ storage, same }) => {
    await prepare(storage)
    const ben = aProvisionedUser('ben')
    await storage.provisionedUsers.insert(ben)
    await enable(storage, { ownerUserId: ben.userId })

    await storage.users.deactivate(ada.userId, nowPlus(8))
    same((await stateOf(storage))?.disabledAt, undefined, 'after the end of the former owner')
    await storage.users.deactivate(ben.userId, nowPlus(9))
    same((await stateOf(storage))?.disabledAt, nowPlus(9), 'after the end of the new owner')
  }),

  law('agents: no order of concurrent writes leaves an agent enabled without its owner', async (trial) => {
    const { storage, server, same } = trial
    await prepare(storage)
    for (let round = 0; round < 6; round += 1) {
      await storage.users.reactivate(ada.userId, nowPlus(round))

      await atOnce<unknown>(4, (index) =>
        index === 2 ? server(index).users.deactivate(ada.userId, nowPlus(round)) : enable(server(index)),
      )

      same((await stateOf(storage))?.disabledAt === undefined, false, `whether it is enabled in round ${round}`)
    }
  }),

  law(
    'agents: an externalId belongs to one agent of a provider, and is free after the agent is removed',
    async (trial) => {
      const { storage, server, same } = trial
      const insertions = await atOnce(4, (index) => server(index).clients.insert(anAgent({}, `agent-${index}`, 'same')))
      const winner = insertions.findIndex(({ outcome }) => outcome === 'inserted')
      same(tally(insertions), { inserted: 1, taken: 3 }, '4 insertions at once')
      const elsewhere = anAgent({ providerId: providerId('provider-2') }, 'elsewhere', 'same')
      same(await storage.clients.insert(elsewhere), { outcome: 'inserted' }, 'an agent of another provider')
      same(await storage.clients.insert(anAgent({}, 'none-1')), { outcome: 'inserted' }, 'an agent without one')
      same(await storage.clients.insert(anAgent({}, 'none-2')), { outcome: 'inserted' }, 'another agent without one')

      await storage.clients.remove(clientId(`agent-${winner}`), nowPlus(2))
      same(await storage.clients.insert(anAgent({}, 'next', 'same')), { outcome: 'inserted' }, 'after the removal')
    },
  ),

  law('agents: a list has the agents of a provider or of an owner, in the order of identifiers', async (trial) => {
    const { storage, same } = trial
    await storage.clients.insert(aClientRecord())
    for (const id of ['c', 'a', 'gone', 'b']) await storage.clients.insert(anAgent({}, id))
    await storage.clients.insert(anAgent({ providerId: providerId('provider-2') }, 'aa'))
    await storage.clients.insert(anAgent({ ownerUserId: userId('user-ben') }, 'bb'))
    await storage.clients.remove(clientId('gone'), nowPlus(2))
    const list = async (of: AgentsOf, limit = 10, after?: string) => {
      const agents = await storage.agents?.list({ of, limit, after: after === undefined ? undefined : clientId(after) })
      return agents?.map((client) => client.clientId)
    }

    same(await list({ providerId: providerId('provider-1') }), ['a', 'b', 'bb', 'c'], 'of the provider')
    same(await list({ providerId: providerId('provider-1') }, 2, 'a'), ['b', 'bb'], 'a page')
    same(await list({ ownerUserId: ada.userId }), ['a', 'aa', 'b', 'c'], 'of the owner')
    same(await list({ ownerUserId: userId('user-none') }), [], 'of nobody')
  }),
]

/** Stores a provider, its user, and an enabled agent of the user. */
async function prepare(storage: ScimStorage): Promise<void> {
  await storage.identityProviders.insert(provider)
  await storage.provisionedUsers.insert(ada)
  await storage.clients.insert(anAgent())
  await enable(storage)
}

/** An agent of `ada`. */
function anAgent(overrides: Partial<AgentRecord> = {}, id = 'agent', externalId?: string): ClientRecord {
  const agent = {
    providerId: provider.providerId,
    ownerUserId: ada.userId,
    externalId,
    resource: { displayName: 'Agent' },
    updatedAt: nowPlus(1),
    endedAt: undefined,
    ...overrides,
  }
  return aClientRecord({ clientId: clientId(id), origin: 'directory', secrets: [], agent })
}

/** Tries to enable the agent, with changes, until no other writer interferes. */
async function enable(storage: ScimStorage, changes: Partial<AgentRecord> = {}): Promise<AgentState | undefined> {
  for (;;) {
    const client = await storage.clients.find(clientId('agent'))
    if (client?.agent === undefined) return undefined
    const agent = { ...client.agent, endedAt: undefined, ...changes }
    const swapped = await storage.clients.compareAndSwap({ ...client, disabledAt: undefined, agent }, client.version)
    if (swapped.outcome === 'swapped') return agentState(swapped.record)
  }
}

interface AgentState {
  readonly disabledAt: number | undefined
  readonly endedAt: number | undefined
  readonly version: number
}

const agentState = ({ disabledAt, agent, version }: ClientRecord): AgentState => ({
  disabledAt,
  endedAt: agent?.endedAt,
  version,
})

async function stateOf(storage: ScimStorage, id = 'agent'): Promise<AgentState | undefined> {
  const client = await storage.clients.find(clientId(id))
  return client && agentState(client)
}
