import type { z } from 'zod'

import type { Administration } from '../administration.ts'
import type { Page, PageRequest } from '../page.ts'
import { defineRoute, withVersion, type AdminCall, type AdminRoute } from './admin-route.ts'
import type { AdminArea } from './admin-scopes.ts'
import { addSecretBody, fromWire, pageQuery } from './wire.ts'

/** Describes a kind of record that has a version and secrets and can be disabled: clients or identity providers. */
export interface SecretHolder<Target> {
  readonly area: AdminArea
  readonly collection: `/${string}`
  /** The path of one record. The path segment named by `parameter` is the record's identifier. */
  readonly itemPath: `/${string}`
  readonly parameter: string
  readonly target: (id: string, version: number | undefined) => Target
  readonly administration: (admin: Administration) => SecretHolderAdministration<Target>
  readonly summaries: Readonly<Record<keyof SecretHolderRoutes, string>>
  readonly answers: { readonly item: z.ZodType; readonly page: z.ZodType; readonly secret: z.ZodType }
  /** Creates the response body with a new secret. */
  readonly withSecret: (secret: string) => object
}

/** The methods that `ClientAdministration` and `ProviderAdministration` share. */
interface SecretHolderAdministration<Target> {
  list(page: PageRequest): Promise<Page<object>>
  read(id: string): Promise<{ readonly version: number }>
  remove(target: Target): Promise<void>
  disable(target: Target): Promise<{ readonly version: number }>
  enable(target: Target): Promise<{ readonly version: number }>
  addSecret(id: string, change: { readonly previousExpiresAt?: number | undefined }): Promise<string>
  revokePreviousSecrets(id: string): Promise<void>
}

export interface SecretHolderRoutes {
  readonly list: AdminRoute
  readonly read: AdminRoute
  readonly remove: AdminRoute
  readonly disable: AdminRoute
  readonly enable: AdminRoute
  readonly addSecret: AdminRoute
  readonly revokePreviousSecrets: AdminRoute
}

/** Defines the routes that clients and identity providers have in common. */
export const secretHolderRoutes = <Target>(holder: SecretHolder<Target>): SecretHolderRoutes => ({
  ...recordRoutes(holder),
  disable: switchRoute(holder, 'disable'),
  enable: switchRoute(holder, 'enable'),
  ...secretRoutes(holder),
})

function recordRoutes<Target>(holder: SecretHolder<Target>): Pick<SecretHolderRoutes, 'list' | 'read' | 'remove'> {
  const { area, itemPath, parameter, summaries, answers, administration } = holder
  return {
    list: defineRoute({
      method: 'GET',
      path: holder.collection,
      area,
      access: 'read',
      summary: summaries.list,
      query: pageQuery,
      status: 200,
      answer: answers.page,
      handle: async ({ admin, query }) => ({ body: await administration(admin).list(query) }),
    }),
    read: defineRoute({
      method: 'GET',
      path: itemPath,
      area,
      access: 'read',
      summary: summaries.read,
      status: 200,
      answer: answers.item,
      handle: async (call) => withVersion(await administration(call.admin).read(call.part(parameter))),
    }),
    remove: defineRoute({
      method: 'DELETE',
      path: itemPath,
      area,
      access: 'write',
      summary: summaries.remove,
      checksIfMatch: true,
      status: 204,
      handle: async (call) => {
        await administration(call.admin).remove(targetOf(call, holder))
        return {}
      },
    }),
  }
}

const switchRoute = <Target>(holder: SecretHolder<Target>, name: 'disable' | 'enable'): AdminRoute =>
  defineRoute({
    method: 'POST',
    path: `${holder.itemPath}/${name}`,
    area: holder.area,
    access: 'write',
    summary: holder.summaries[name],
    checksIfMatch: true,
    status: 200,
    answer: holder.answers.item,
    handle: async (call) => withVersion(await holder.administration(call.admin)[name](targetOf(call, holder))),
  })

const targetOf = <Target>({ part, version }: AdminCall<unknown, unknown>, holder: SecretHolder<Target>): Target =>
  holder.target(part(holder.parameter), version)

function secretRoutes<Target>(
  holder: SecretHolder<Target>,
): Pick<SecretHolderRoutes, 'addSecret' | 'revokePreviousSecrets'> {
  const { area, itemPath, parameter, summaries, answers, administration } = holder
  return {
    addSecret: defineRoute({
      method: 'POST',
      path: `${itemPath}/secrets`,
      area,
      access: 'write',
      summary: summaries.addSecret,
      body: addSecretBody,
      status: 201,
      answer: answers.secret,
      handle: async (call) => ({
        body: holder.withSecret(await administration(call.admin).addSecret(call.part(parameter), fromWire(call.body))),
      }),
    }),
    revokePreviousSecrets: defineRoute({
      method: 'DELETE',
      path: `${itemPath}/secrets/previous`,
      area,
      access: 'write',
      summary: summaries.revokePreviousSecrets,
      status: 204,
      handle: async (call) => {
        await administration(call.admin).revokePreviousSecrets(call.part(parameter))
        return {}
      },
    }),
  }
}
