import { type ToleranceProfile } from '@mintmark/scim'
import * as z from 'zod'
import { toleranceProfiles } from '@mintmark/scim/engine'

import type { ProviderTarget } from '../providers/provider-changes.ts'
import { maximumSetupLifetime } from '../providers/setup-link.ts'
import { defineRoute, withVersion, type AdminRoute } from './admin-route.ts'
import { secretHolderRoutes } from './secret-holder-routes.ts'
import {
  anyObject,
  fromWire,
  identifier,
  logAnswer,
  optionalMembers,
  pageAnswer,
  pageQuery,
  seconds,
  secretAnswer,
  strings,
  version,
} from './wire.ts'

const members = {
  display_name: z.string().min(1).max(200),
  tolerance_profile: z.enum(Object.keys(toleranceProfiles) as [ToleranceProfile, ...ToleranceProfile[]]),
  client_ids: strings(1024),
  verified_domains: strings(253),
}

/** The `jwks` is a JWK set, whose members keep their names. */
const assertions = z.strictObject({
  issuer: z.string().min(1).max(512),
  ...optionalMembers({
    jwks_uri: z.string().min(1).max(512),
    jwks: anyObject,
    revocation_subject: z.string().min(1).max(512),
    cross_app_access: z.strictObject({
      client_ids: strings(512),
      scopes: strings(512),
      resources: strings(512),
      ...optionalMembers({
        tenant: z.string().min(1).max(512),
        subject: z.enum(['external_id', 'aud_sub']),
        reuse: z.enum(['until_expiry', 'once']),
      }),
    }),
  }),
})

const assertionsFromWire = ({ cross_app_access: access, ...given }: z.infer<typeof assertions>) => ({
  ...fromWire(given),
  ...(access && { crossAppAccess: fromWire(access) }),
})

/** The identifier consists of letters, digits and hyphens, because it is a part of the SCIM Tenant URL. */
const providerBody = z.strictObject({
  provider_id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  ...optionalMembers({ ...members, organization_id: identifier, assertions }),
})

/** Members that are left out stay as they are. */
const providerChangeBody = z.strictObject(
  optionalMembers({ ...members, organization_id: z.nullable(identifier), assertions: z.nullable(assertions) }),
)

const providerAnswer = z.strictObject({
  provider_id: z.string(),
  tenant_url: z.string(),
  display_name: z.string(),
  tolerance_profile: z.string(),
  client_ids: z.array(identifier),
  verified_domains: z.array(z.string()),
  organization_id: identifier.exactOptional(),
  assertions: assertions.exactOptional(),
  secrets: z.array(secretAnswer),
  setup_link: z.strictObject({ created_at: seconds, expires_at: seconds }).exactOptional(),
  deprovisioning: z
    .strictObject({ window_started_at: seconds, count: z.int(), suspended_at: seconds.exactOptional() })
    .exactOptional(),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
  version,
})

/** With the Secret Token. No other response contains it. */
const providerWithSecretAnswer = z.strictObject({ provider: providerAnswer, secret: z.string() })

const setupQuery = z.strictObject({ product: z.enum(['entra', 'okta']) })

const setupAnswer = z.strictObject({
  product: z.enum(['entra', 'okta']),
  fields: z.record(z.string(), z.string()),
  steps: z.array(z.string()),
  text: z.string(),
})

const area = 'providers'
const itemPath = '/identity-providers/{provider_id}'
const target = (providerId: string, version: number | undefined): ProviderTarget => ({ providerId, version })

const sharedRoutes = secretHolderRoutes({
  area,
  collection: '/identity-providers',
  itemPath,
  parameter: 'provider_id',
  target,
  administration: (admin) => admin.identityProviders,
  summaries: {
    list: 'Lists identity providers, ordered by identifier.',
    read: 'Reads an identity provider.',
    remove: 'Removes an identity provider for good. Its users are kept.',
    disable: 'Disables an identity provider: its requests are refused from now on.',
    enable: 'Enables a disabled identity provider.',
    addSecret:
      'Adds a Secret Token to an identity provider. The current ones stay valid. Only this response contains the new one.',
    revokePreviousSecrets: 'Revokes all Secret Tokens of an identity provider except the newest.',
  },
  answers: {
    item: providerAnswer,
    page: pageAnswer(providerAnswer),
    secret: z.strictObject({ secret: z.string() }),
  },
  withSecret: (secret) => ({ secret }),
})

/** The routes below /identity-providers. */
export const providerRoutes: readonly AdminRoute[] = [
  sharedRoutes.list,
  defineRoute({
    method: 'POST',
    path: '/identity-providers',
    area,
    access: 'write',
    summary: 'Registers an identity provider. Only this response contains its Secret Token.',
    body: providerBody,
    status: 201,
    answer: providerWithSecretAnswer,
    handle: async ({ admin, body: { assertions: given, ...body } }) => {
      const signed = given && { assertions: assertionsFromWire(given) }
      const registered = await admin.identityProviders.register({ ...fromWire(body), ...signed })
      const { providerId, version: created } = registered.provider
      return { body: registered, version: created, location: `/identity-providers/${encodeURIComponent(providerId)}` }
    },
  }),
  sharedRoutes.read,
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Changes an identity provider. Members that are left out stay as they are.',
    body: providerChangeBody,
    checksIfMatch: true,
    status: 200,
    answer: providerAnswer,
    handle: async ({ admin, part, version: expected, body: { assertions: given, ...body } }) => {
      const change = { ...fromWire(body), assertions: given && assertionsFromWire(given) }
      return withVersion(await admin.identityProviders.update(target(part('provider_id'), expected), change))
    },
  }),
  sharedRoutes.remove,
  sharedRoutes.disable,
  sharedRoutes.enable,
  defineRoute({
    method: 'POST',
    path: `${itemPath}/release-deprovisioning`,
    area,
    access: 'write',
    summary: 'Allows an identity provider that reached its deprovisioning limit to deprovision users again.',
    checksIfMatch: true,
    status: 200,
    answer: providerAnswer,
    handle: async ({ admin, part, version: expected }) =>
      withVersion(await admin.identityProviders.releaseDeprovisioning(target(part('provider_id'), expected))),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/deactivate-users`,
    area: 'users',
    access: 'write',
    summary:
      'Deactivates users of a disabled or removed identity provider, 100 at a time. Repeat the request with the `next` of the response until there is none.',
    body: z.strictObject(optionalMembers({ after: z.string().min(1).max(1100), limit: z.int().min(1).max(200) })),
    status: 200,
    answer: z.strictObject({ deactivated: z.int(), kept: z.int(), next: z.string().exactOptional() }),
    handle: async ({ admin, part, body }) => ({
      body: await admin.identityProviders.deactivateUsers(part('provider_id'), body),
    }),
  }),
  sharedRoutes.addSecret,
  sharedRoutes.revokePreviousSecrets,
  defineRoute({
    method: 'POST',
    path: `${itemPath}/setup-link`,
    area,
    access: 'write',
    summary:
      'Creates a link with which the IT of a customer sets up this identity provider, in place of an earlier one. Only this response contains it.',
    body: z.strictObject(optionalMembers({ lifetime: z.int().min(1).max(maximumSetupLifetime) })),
    status: 201,
    answer: z.strictObject({ url: z.string(), expires_at: seconds }),
    handle: async ({ admin, part, body }) => ({
      body: await admin.identityProviders.createSetupLink(part('provider_id'), body),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${itemPath}/setup-link`,
    area,
    access: 'write',
    summary: 'Revokes the set-up link of an identity provider at once, also for those who have opened it.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.identityProviders.revokeSetupLink(part('provider_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${itemPath}/setup`,
    area,
    access: 'read',
    summary: 'Returns instructions for the administrator of the identity provider.',
    query: setupQuery,
    status: 200,
    answer: setupAnswer,
    handle: async ({ admin, part, query }) => ({
      body: await admin.identityProviders.setup(part('provider_id'), query.product),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: `${itemPath}/requests`,
    area,
    access: 'read',
    summary: 'Lists the requests of the identity provider, newest first.',
    query: pageQuery,
    status: 200,
    answer: logAnswer,
    handle: async ({ admin, part, query }) => ({
      body: await admin.identityProviders.requests(part('provider_id'), query),
    }),
  }),
]
