import { timingSafeEqual } from 'node:crypto'

import express from 'express'
import SCIMMY from 'scimmy'
import { SCIMMYRouters } from 'scimmy-routers'

import { scimSecret } from '../scim-secret.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'

/** The part of scimmy's user resource that this file reads. */
export interface ScimmyAccount {
  readonly id: string
  readonly userName: string
}

/** Stores and finds users: the code that an application writes to use scimmy. */
export interface ScimmyHandlers {
  put(account: ScimmyAccount): void
  find(id: string): ScimmyAccount | undefined
  list(resource: ScimmyList): ScimmyAccount[]
}

/** The request that scimmy passes to a handler. */
export type ScimmyList = InstanceType<typeof SCIMMY.Resources.User>

/**
 * Serves scimmy with its Express routers and these handlers. The enterprise extension is enabled, as in the other
 * targets.
 */
export async function serveScimmy(
  handlers: ScimmyHandlers,
  createUser: (number: number) => ScimmyAccount,
): Promise<void> {
  const { rows } = targetSettings()
  for (let number = 1; number <= rows; number += 1) handlers.put(createUser(number))

  SCIMMY.Resources.declare(SCIMMY.Resources.User)
  SCIMMY.Resources.User.extend(SCIMMY.Schemas.EnterpriseUser)
    .ingress((resource, instance) => {
      const account: ScimmyAccount = {
        ...(JSON.parse(JSON.stringify(instance)) as ScimmyAccount),
        id: resource.id ?? crypto.randomUUID(),
      }
      handlers.put(account)
      return account
    })
    .egress((resource) =>
      resource.id === undefined ? handlers.list(resource) : requireFound(handlers.find(resource.id)),
    )

  const app = express()
  app.disable('x-powered-by')
  // The routers replace strings with numbers in `request.query`, which Express 5 creates anew at each access.
  app.set('query parser', (text: string) => withNumbers(new URLSearchParams(text)))
  app.use('/scim', new SCIMMYRouters({ type: 'bearer', handler: authenticate }))
  await serveTarget({ listener: app, site: { scim: { basePath: '/scim', secret: scimSecret, accounts: rows } } })
}

const withNumbers = (query: URLSearchParams): object =>
  Object.fromEntries(
    [...query].map(([name, value]) => [name, name === 'startIndex' || name === 'count' ? Number(value) : value]),
  )

const expected = Buffer.from(`Bearer ${scimSecret}`)

function authenticate(request: express.Request): string {
  const presented = Buffer.from(request.header('authorization') ?? '')
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) throw new Error('Unknown secret')
  return 'provider'
}

function requireFound(account: ScimmyAccount | undefined): ScimmyAccount {
  if (account === undefined) throw new SCIMMY.Types.Error(404, '', 'Not found')
  return account
}
