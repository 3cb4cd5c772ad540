import {
  disableClient,
  enableClient,
  registerClient,
  updateClient,
  type ClientChange,
  type ClientRegistration,
  type ClientTarget,
  type ClientUpdate,
} from '@mintmark/core'
import { randomIdentifier } from '@mintmark/core/runtime'
import { clientId, untilSettled } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit, type AuditedAction, type AuditedResult } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'
import { clientView, type ClientView } from './client-view.ts'
import { findClient } from './find-client.ts'
import { requireGrantable } from './require-grantable.ts'

/** A client, and the secret that it was given, if it was: this is the only time that anybody sees it. */
export interface UpdatedClient {
  readonly client: ClientView
  readonly clientSecret: string | undefined
}

export function createClient(registration: ClientRegistration, acting: AdminContext): Promise<UpdatedClient> {
  const { storage, clock, random, keys } = acting
  const id = registration.clientId ?? randomIdentifier(random)
  return act(['created', id], acting, async () => {
    requireGrantable(registration.scopes ?? [], acting)
    // RFC 9110 §15.5.10; also that of a removed client, which only its registration finds out.
    if (isIdentifier(id) && (await storage.clients.find(clientId(id))) !== undefined)
      throw new AdminError('identifier_taken')
    const { client, clientSecret } = await registerClient(
      { ...registration, clientId: id },
      { storage, clock, random, ...(keys && { keys }) },
    )
    return { result: { client: clientView(client), clientSecret }, after: plainJson(clientView(client)) }
  })
}

export const update = (target: ClientTarget, change: ClientChange, acting: AdminContext): Promise<UpdatedClient> =>
  act(['updated', target.clientId], acting, async () => {
    const { scopes } = change
    return grantable({ target, scopes, change: (pinned) => updateClient(pinned, change, acting) }, acting)
  })

export async function disable(target: ClientTarget, acting: AdminContext): Promise<ClientView> {
  const { client } = await audit(
    {
      name: 'client.disabled',
      target: { kind: 'client', id: target.clientId },
      protective: true,
      run: () => disabled(target, acting),
    },
    acting,
  )
  return client
}

export async function enable(target: ClientTarget, acting: AdminContext): Promise<ClientView> {
  const { client } = await act(['enabled', target.clientId], acting, async () => {
    return grantable({ target, change: (pinned) => enableClient(pinned, acting) }, acting)
  })
  return client
}

/** It is disabled first: that is the write that a version can be asked of. */
export const removeClient = (target: ClientTarget, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'client.removed',
      target: { kind: 'client', id: target.clientId },
      protective: true,
      run: async () => {
        const { before } = await disabled(target, acting)
        const { outcome } = await acting.storage.clients.remove(clientId(target.clientId), acting.clock())
        // RFC 9110 §15.5.5: of several who remove one, one does.
        if (outcome === 'absent') throw new AdminError('client_unknown')
        return { result: undefined, before }
      },
    },
    acting,
  )

/** Changes a client that administers no more than whoever changes it: in the version in which that was looked at. */
const grantable = (
  { target, scopes = [], change }: GrantableChange,
  acting: AdminContext,
): Promise<AuditedResult<UpdatedClient>> =>
  untilSettled(async () => {
    const before = await findClient(target.clientId, acting)
    requireGrantable([...before.scopes, ...scopes], acting)
    const update = await change({ clientId: target.clientId, version: target.version ?? before.version })
    // Another administrator was faster: unless the caller has named a version, it is looked at again.
    return update.outcome === 'conflict' && target.version === undefined ? undefined : updated(update)
  })

interface GrantableChange {
  readonly target: ClientTarget
  /** Those that it would have. */
  readonly scopes?: readonly string[] | undefined
  readonly change: (pinned: ClientTarget) => Promise<ClientUpdate>
}

async function disabled(target: ClientTarget, acting: AdminContext): Promise<AuditedResult<UpdatedClient>> {
  await findClient(target.clientId, acting)
  return updated(await disableClient(target, acting))
}

function updated(update: ClientUpdate): AuditedResult<UpdatedClient> {
  // RFC 9110 §15.5.5: removed since it was read.
  if (update.outcome === 'absent') throw new AdminError('client_unknown')
  // RFC 9110 §15.5.13.
  if (update.outcome === 'conflict') throw new AdminError('version_mismatch')
  const { before, client, clientSecret } = update
  return {
    result: { client: clientView(client), clientSecret },
    before: plainJson(clientView(before)),
    after: plainJson(clientView(client)),
  }
}

const act = (
  [name, id]: readonly [name: 'created' | 'updated' | 'enabled', clientId: string],
  acting: AdminContext,
  run: AuditedAction<UpdatedClient>['run'],
): Promise<UpdatedClient> => audit({ name: `client.${name}`, target: { kind: 'client', id }, run }, acting)
