import type { ProvisionedSubject, ProvisioningResult } from '@mintmark/core/internal'

import {
  type DesiredGroup,
  type LocalDependencies,
  memberUsers,
  readGroup,
  readUser,
  type Selection,
} from './local-resources.ts'
import { PartnerFailure } from './partner-failure.ts'
import type { Endpoint, Partner, RemoteResource } from './partner.ts'
import { memberIds, planAdditions, planGroup, planMembers, planRemovals, planUser } from './plan.ts'

interface SendDependencies extends LocalDependencies {
  readonly partner: Partner
}

/**
 * Brings the partner's resource of a user or a group to the present state. Reads both sides each time, so that repeated,
 * lost and reordered messages do no harm.
 * @throws PartnerFailure if the partner does not do what it should.
 */
export async function sendSubject(
  { userId, groupId, isComplete }: ProvisionedSubject,
  selection: Selection,
  deps: SendDependencies,
): Promise<ProvisioningResult> {
  if (groupId === undefined) return userId === undefined ? done : sendUser(userId, selection, deps)
  if (userId !== undefined) return sendMembership({ groupId, userId }, selection, deps)
  return sendGroup({ groupId, isComplete }, selection, deps)
}

const done: ProvisioningResult = { outcome: 'done' }
const waiting: ProvisioningResult = { outcome: 'waiting' }

async function sendUser(id: string, selection: Selection, deps: SendDependencies): Promise<ProvisioningResult> {
  const desired = await readUser(id, selection, deps)
  const remote = await findRemote({ endpoint: 'Users', id, name: desired?.userName }, selection, deps)
  const request = planUser(desired, remote, selection.target)
  if (request === undefined) return done
  const stored = await deps.partner.change(request)
  if (request.method === 'POST') requireKept(stored, id)
  return done
}

/**
 * Finds the partner's resource: the one with our identifier as `externalId`, or one with the same name that may be
 * adopted.
 * @param sought `name`: undefined if nothing is to be adopted.
 */
async function findRemote(
  sought: { readonly endpoint: Endpoint; readonly id: string; readonly name: string | undefined },
  { target }: Selection,
  { partner }: SendDependencies,
): Promise<RemoteResource | undefined> {
  const { endpoint, id, name } = sought
  const linked = await partner.find(endpoint, 'externalId', id)
  if (linked !== undefined || name === undefined || !target.adoptsExisting) return linked
  return refuseForeign(await partner.find(endpoint, endpoint === 'Users' ? 'userName' : 'displayName', name))
}

/** A resource with another `externalId` belongs to another source. */
function refuseForeign(found: RemoteResource | undefined): RemoteResource | undefined {
  const externalId = found?.['externalId']
  if (typeof externalId === 'string' && externalId !== '') throw new PartnerFailure('refused', 'resource_of_another')
  return found
}

/** Without our identifier, the resource would never be found again. */
function requireKept(stored: RemoteResource | undefined, id: string): void {
  // RFC 7643 §3.1. A response without a body says nothing.
  if (stored !== undefined && stored['externalId'] !== id) throw new PartnerFailure('refused', 'external_id_not_kept')
}

async function sendGroup(
  { groupId, isComplete }: { readonly groupId: string; readonly isComplete: boolean },
  selection: Selection,
  deps: SendDependencies,
): Promise<ProvisioningResult> {
  const { partner } = deps
  const desired = await readGroup(groupId, selection, deps)
  const remote = await findRemote({ endpoint: 'Groups', id: groupId, name: desired?.displayName }, selection, deps)
  const request = planGroup(desired, remote)
  const stored = request === undefined ? undefined : await partner.change(request)
  if (request?.method === 'POST') requireKept(stored, groupId)
  if (desired === undefined || !isComplete) return done
  const current = remote ?? stored ?? (await partner.find('Groups', 'externalId', groupId))
  if (current === undefined) return { outcome: 'failed', failure: 'group_not_found' }
  return sendMembers(desired, current, { selection, deps })
}

/** Brings all members of the partner's group to the present state. */
async function sendMembers(
  group: DesiredGroup,
  { id }: RemoteResource,
  { selection, deps }: { readonly selection: Selection; readonly deps: SendDependencies },
): Promise<ProvisioningResult> {
  const { partner } = deps
  const local = await memberUsers(group, deps)
  const found = await partner.findAll('Users', local)
  const known = new Set(found.map(({ externalId }) => externalId))
  const remote = (await partner.read('Groups', id)) ?? { id }
  for (const request of planMembers(
    remote,
    found.map((user) => user.id),
  ))
    await partner.change(request)
  for (const userId of local) {
    if (known.has(userId)) continue
    const user = await readUser(userId, selection, deps)
    if (user?.active === true) return waiting
  }
  return done
}

async function sendMembership(
  { groupId, userId }: { readonly groupId: string; readonly userId: string },
  selection: Selection,
  deps: SendDependencies,
): Promise<ProvisioningResult> {
  const { partner } = deps
  const group = await readGroup(groupId, selection, deps)
  if (group === undefined) return done
  const isMember = (await memberUsers(group, deps)).includes(userId)
  const remoteGroup = await partner.find('Groups', 'externalId', groupId)
  if (remoteGroup === undefined) return waiting
  const remoteUser = await partner.find('Users', 'externalId', userId)
  if (remoteUser === undefined) {
    const user = isMember ? await readUser(userId, selection, deps) : undefined
    // The message about the user creates it. A user who was never active there has no account.
    return user?.active === true ? waiting : done
  }
  for (const request of isMember
    ? planAdditions(remoteGroup, [remoteUser.id])
    : await removalOf(remoteUser, remoteGroup, partner))
    await partner.change(request)
  return done
}

/** Services disagree about the removal of somebody who is not a member, so that the members are read before. */
async function removalOf(user: RemoteResource, { id }: RemoteResource, partner: Partner) {
  const group = await partner.read('Groups', id)
  return group !== undefined && memberIds(group).includes(user.id) ? planRemovals(group, [user.id]) : []
}
