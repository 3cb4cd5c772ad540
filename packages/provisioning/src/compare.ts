import { isBoolean } from './difference.ts'
import { allUsers, selectedGroups } from './local-lists.ts'
import { desiredUser, type LocalDependencies, memberUsers, type Selection } from './local-resources.ts'
import type { ChangeRequest, Partner, RemoteResource } from './partner.ts'
import { memberIds, planGroup, planMembers, planUser } from './plan.ts'

/** A user or a group that differs between this server and a partner. */
export interface Divergence {
  readonly kind: 'user' | 'group'
  /**
   * `missing`: the partner does not have it. `different`: it has other values or members. `unlinked`: the partner has one
   * with the same name that is not ours yet. `extra`: the partner has it, active, and this server does not provision it.
   */
  readonly state: 'missing' | 'different' | 'unlinked' | 'extra'
  /** The identifier at this server; undefined for `extra`. */
  readonly localId: string | undefined
  /** The identifier at the partner; undefined for `missing`. */
  readonly remoteId: string | undefined
  /** The `userName` or the name of the group. */
  readonly name: string
  /** What would be sent, without credentials. Empty for `extra`, and for `unlinked` unless the target adopts it. */
  readonly requests: readonly ChangeRequest[]
}

/** How a partner differs from this server. */
export interface ComparisonReport {
  /** How many users and groups this server provisions there. */
  readonly users: number
  readonly groups: number
  readonly divergences: readonly Divergence[]
}

/** Compares everything with the partner, and changes nothing. */
export async function compareWithPartner(
  selection: Selection,
  partner: Partner,
  deps: LocalDependencies,
): Promise<ComparisonReport> {
  const remoteUsers = indexed(await partner.list('Users'), 'userName')
  const divergences: Divergence[] = []
  let users = 0
  for await (const record of allUsers(deps.storage)) {
    const user = await desiredUser(record, selection, deps)
    if (user === undefined) continue
    users += 1
    const { userId: localId, userName: name } = user
    const plan = (remote: RemoteResource | undefined) => listOf(planUser(user, remote, selection.target))
    divergences.push(...divergence({ kind: 'user', localId, name, plan }, remoteUsers, selection))
  }
  const remoteGroups = indexed(await partner.list('Groups'), 'displayName')
  let groups = 0
  for await (const group of selectedGroups(selection, deps.storage)) {
    groups += 1
    const { groupId: localId, displayName: name } = group
    const members = (await memberUsers(group, deps)).flatMap((id) => remoteUsers.linked.get(id)?.id ?? [])
    const plan = (remote: RemoteResource | undefined) => [
      ...listOf(planGroup(group, remote)),
      ...(remote === undefined ? [] : planMembers({ ...remote, members: memberList(remote) }, members)),
    ]
    divergences.push(...divergence({ kind: 'group', localId, name, plan }, remoteGroups, selection))
  }
  return {
    users,
    groups,
    divergences: [...divergences, ...extras('user', remoteUsers), ...extras('group', remoteGroups)],
  }
}

const memberList = (remote: RemoteResource) => memberIds(remote).map((value) => ({ value }))

const listOf = (request: ChangeRequest | undefined): readonly ChangeRequest[] =>
  request === undefined ? [] : [request]

/** The resources of a partner, by our identifier and by name; `left` are those that no local resource has claimed. */
interface RemoteIndex {
  readonly linked: ReadonlyMap<string, RemoteResource>
  readonly named: ReadonlyMap<string, RemoteResource>
  readonly left: Map<string, { readonly name: string }>
}

function indexed(resources: readonly RemoteResource[], nameOf: 'userName' | 'displayName'): RemoteIndex {
  const linked = new Map<string, RemoteResource>()
  const named = new Map<string, RemoteResource>()
  const left = new Map<string, { readonly name: string }>()
  for (const resource of resources) {
    const { id, externalId } = resource
    const name = resource[nameOf]
    if (typeof externalId === 'string' && externalId !== '') linked.set(externalId, resource)
    else if (typeof name === 'string') named.set(name.toLowerCase(), resource)
    // Users who were removed here are inactive there.
    if (!isBoolean(resource['active'] ?? true, false)) left.set(id, { name: typeof name === 'string' ? name : '' })
  }
  return { linked, named, left }
}

function divergence(
  {
    kind,
    localId,
    name,
    plan,
  }: Pick<Divergence, 'kind' | 'name'> & {
    readonly localId: string
    readonly plan: (remote: RemoteResource | undefined) => readonly ChangeRequest[]
  },
  { linked, named, left }: RemoteIndex,
  { target }: Selection,
): readonly Divergence[] {
  const remote = linked.get(localId)
  const about = { kind, localId, name }
  if (remote !== undefined) {
    left.delete(remote.id)
    const requests = plan(remote)
    return requests.length === 0 ? [] : [{ ...about, state: 'different', remoteId: remote.id, requests }]
  }
  const other = named.get(name.toLowerCase())
  if (other !== undefined) {
    left.delete(other.id)
    const requests = target.adoptsExisting ? plan(other) : []
    return [{ ...about, state: 'unlinked', remoteId: other.id, requests }]
  }
  const requests = plan(undefined)
  return requests.length === 0 ? [] : [{ ...about, state: 'missing', remoteId: undefined, requests }]
}

const extras = (kind: Divergence['kind'], { left }: RemoteIndex): readonly Divergence[] =>
  [...left].map(([remoteId, { name }]) => ({
    kind,
    state: 'extra',
    localId: undefined,
    remoteId,
    name,
    requests: [],
  }))
