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
export function secretHolderRoutes<Target>(holder: SecretHolder<Target>): SecretHolderRoutes {
  const { area, itemPath, parameter, summaries, answers, administration } = holder
  const idOf = ({ part }: AdminCall<unknown, unknown>) => part(parameter)
  const targetOf = (call: AdminCall<unknown, unknown>) => holder.target(idOf(call), call.version)
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
      handle: async (call) => withVersion(await administration(call.admin).read(idOf(call))),
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
        await administration(call.admin).remove(targetOf(call))
        return {}
      },
    }),
    disable: defineRoute({
      method: 'POST',
      path: `${itemPath}/disable`,
      area,
      access: 'write',
      summary: summaries.disable,
      checksIfMatch: true,
      status: 200,
      answer: answers.item,
      handle: async (call) => withVersion(await administration(call.admin).disable(targetOf(call))),
    }),
    enable: defineRoute({
      method: 'POST',
      path: `${itemPath}/enable`,
      area,
      access: 'write',
      summary: summaries.enable,
      checksIfMatch: true,
      status: 200,
      answer: answers.item,
      handle: async (call) => withVersion(await administration(call.admin).enable(targetOf(call))),
    }),
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
        body: holder.withSecret(await administration(call.admin).addSecret(idOf(call), fromWire(call.body))),
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
        await administration(call.admin).revokePreviousSecrets(idOf(call))
        return {}
      },
    }),
  }
}
