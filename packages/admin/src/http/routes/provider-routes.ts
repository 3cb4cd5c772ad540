import { defineRoute, type AdminCall, type AdminRoute } from '../admin-route.ts'
import { versioned } from '../versioned.ts'
import { addSecretBody, pageQuery } from '../wire/common-schema.ts'
import { logAnswer } from '../wire/log-schema.ts'
import {
  providerAnswer,
  providerBody,
  providerChangeBody,
  providersAnswer,
  providerWithSecretAnswer,
  secretTokenAnswer,
  setupAnswer,
  setupQuery,
} from '../wire/provider-schema.ts'
import { fromWire } from '../wire/wire-names.ts'

const area = 'providers'
const one = '/identity-providers/{provider_id}'

/** What answers below /identity-providers. */
export const providerRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/identity-providers',
    area,
    access: 'read',
    summary: 'Lists identity providers, in the order of their identifiers.',
    query: pageQuery,
    status: 200,
    answer: providersAnswer,
    handle: async ({ admin, query }) => ({ body: await admin.identityProviders.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/identity-providers',
    area,
    access: 'write',
    summary: 'Registers an identity provider. Its Secret Token is in this answer alone.',
    body: providerBody,
    status: 201,
    answer: providerWithSecretAnswer,
    handle: async ({ admin, body }) => {
      const registered = await admin.identityProviders.register(fromWire(body))
      const { providerId, version } = registered.provider
      return { body: registered, version, location: `/identity-providers/${encodeURIComponent(providerId)}` }
    },
  }),
  defineRoute({
    method: 'GET',
    path: one,
    area,
    access: 'read',
    summary: 'Reads an identity provider.',
    status: 200,
    answer: providerAnswer,
    handle: async (call) => versioned(await call.admin.identityProviders.read(call.part('provider_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: one,
    area,
    access: 'write',
    summary: 'Changes an identity provider: what is left out stays.',
    body: providerChangeBody,
    heedsVersion: true,
    status: 200,
    answer: providerAnswer,
    handle: async (call) => versioned(await call.admin.identityProviders.update(target(call), fromWire(call.body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: one,
    area,
    access: 'write',
    summary: 'Removes an identity provider for good. Its accounts stay.',
    heedsVersion: true,
    status: 204,
    handle: async (call) => {
      await call.admin.identityProviders.remove(target(call))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/disable`,
    area,
    access: 'write',
    summary: 'Disables an identity provider: from now on its requests are refused.',
    heedsVersion: true,
    status: 200,
    answer: providerAnswer,
    handle: async (call) => versioned(await call.admin.identityProviders.disable(target(call))),
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/enable`,
    area,
    access: 'write',
    summary: 'Puts a disabled identity provider back into use.',
    heedsVersion: true,
    status: 200,
    answer: providerAnswer,
    handle: async (call) => versioned(await call.admin.identityProviders.enable(target(call))),
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/release-offboarding`,
    area,
    access: 'write',
    summary: 'Lets an identity provider end accounts again that was held for having ended too many.',
    heedsVersion: true,
    status: 200,
    answer: providerAnswer,
    handle: async (call) => versioned(await call.admin.identityProviders.releaseOffboarding(target(call))),
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/secrets`,
    area,
    access: 'write',
    summary: 'Gives an identity provider another Secret Token beside those in use. It is in this answer alone.',
    body: addSecretBody,
    status: 201,
    answer: secretTokenAnswer,
    handle: async ({ admin, part, body }) => ({
      body: { secret: await admin.identityProviders.addSecret(part('provider_id'), fromWire(body)) },
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${one}/secrets/previous`,
    area,
    access: 'write',
    summary: 'Ends all Secret Tokens of an identity provider but the newest.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.identityProviders.endPreviousSecrets(part('provider_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${one}/setup`,
    area,
    access: 'read',
    summary: 'Says what is to be done at the identity provider.',
    query: setupQuery,
    status: 200,
    answer: setupAnswer,
    handle: async ({ admin, part, query }) => ({
      body: await admin.identityProviders.setup(part('provider_id'), query.product),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: `${one}/requests`,
    area,
    access: 'read',
    summary: 'Lists what the identity provider asked for, the newest first.',
    query: pageQuery,
    status: 200,
    answer: logAnswer,
    handle: async ({ admin, part, query }) => ({
      body: await admin.identityProviders.requests(part('provider_id'), query),
    }),
  }),
]

const target = ({ part, version }: AdminCall<unknown, unknown>) => ({ providerId: part('provider_id'), version })
