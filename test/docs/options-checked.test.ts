// One file: it calls every public function that takes options, with valid and with wrong options. Most of it is the
// table of these functions.
import { createAdministration, createAdminServer, keepRequestLog, protectLastAdministrators } from '@mintmark/admin'
import { createConsole, createDirectorySetup } from '@mintmark/console'
import {
  addClientSecret,
  attestedClients,
  certificateFromHeader,
  createAuthorizationServer,
  createConnectedApps,
  createCookieSessions,
  createHealth,
  createMemoryRateLimiter,
  createStoredKeys,
  defineDetailType,
  defineGrant,
  limitSignIns,
  registerClient,
  updateClient,
  withDirectoryRoles,
} from '@mintmark/core'
import { createRouter } from '@mintmark/core/http'
import { createPages } from '@mintmark/pages'
import { createRegistrationServer } from '@mintmark/registration'
import { createResourceServer } from '@mintmark/resource-server'
import {
  addProviderSecret,
  createScimServer,
  defineAttribute,
  defineResourceType,
  defineSchema,
  registerIdentityProvider,
} from '@mintmark/scim'
import { createProvisioning } from '@mintmark/provisioning'
import { createSignalReceiver, createSignalTransmitter } from '@mintmark/signals'
import { composeStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createRedisStorage } from '@mintmark/storage-redis'
import { createSqlOAuthStorage, createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect, withinTransaction } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { createTestCertificate, createTestIssuer } from '@mintmark/testkit'
import { describe, expect, it } from 'vitest'

import { configurables } from '../../scripts/reference/option.ts'
import { readPublicApi } from '../../scripts/reference/public-api.ts'

type Values = Readonly<Record<string, unknown>>

/** A function that takes options, and options that it accepts. */
interface Subject {
  /** Accepts any value at run time, as in a JavaScript program. */
  readonly call: (options: never) => unknown
  readonly accepted: Values
  /** Options that the reference does not list, because they are members of a named type or of another parameter. */
  readonly more?: readonly Listed[]
}

interface Listed {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
}

const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const sealingKey = 'A'.repeat(43)
const keys = createStoredKeys({ storage, sealingKey })
const signalKeys = createStoredKeys({ storage, sealingKey, algorithms: ['RS256'] })
const noop = () => undefined
const asyncNoop = () => Promise.resolve(undefined)
const limiter = createMemoryRateLimiter({ points: 1, window: 1 })
const customFields = [
  { name: 'team', schema: { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } },
]
const clientRules = { scopes: [], resources: [], minimumProfile: 'standard', ownAuthenticationMethods: [] }
const credentials = { clientId: 'api', clientSecret: 'secret' }
const schema = defineSchema({ id: 'urn:example:scim:A', name: 'A', attributes: [{ name: 'a' }] })
const users = { find: asyncNoop }

const administration = () => createAdministration({ storage, keys, onEvent: noop }).as({ kind: 'host', id: 'N' })

const list = (...names: readonly string[]): readonly Listed[] =>
  names.map((name) => ({
    name: name.replace(/:.*/, ''),
    type: name.replace(/.*?(?::|$)/, '') || 'object',
    isRequired: false,
  }))
const required = (...names: readonly string[]): readonly Listed[] =>
  list(...names).map((option) => ({ ...option, isRequired: true }))

const rules = required(
  'clientRules.scopes',
  'clientRules.resources',
  'clientRules.minimumProfile',
  'clientRules.ownAuthenticationMethods',
)

const subjects: Readonly<Record<string, Subject>> = {
  createAuthorizationServer: {
    call: createAuthorizationServer,
    accepted: {
      issuer,
      storage,
      keys,
      signedIn: asyncNoop,
      pages: { login: noop, consent: noop },
      logout: { endSession: asyncNoop, renderPage: noop },
      scopes: { read: { description: 'Read' } },
      resources: { 'https://api.test': { scopes: ['read'] } },
      device: { renderPage: noop },
      ciba: { findUser: asyncNoop, askUser: asyncNoop },
      mutualTls: { certificate: noop },
      clientDocuments: { allow: '*' },
      users,
      authorizationDetails: { payment: { parse: noop, describe: noop } },
      jwtBearer: {
        issuers: [
          {
            issuer: 'https://partner.example',
            jwksUri: 'https://partner.example/keys',
            clients: ['C'],
            scopes: [],
            audiences: ['https://api.test'],
            findUser: noop,
          },
        ],
      },
    },
    more: [
      ...required('users.find', 'authorizationDetails.*.parse', 'authorizationDetails.*.describe'),
      ...list('users.timeout', 'backChannelLogout.waitUntil', 'purge.every', 'purge.batch', 'discovery.acrValues'),
      ...list('discovery.uiLocales', 'discovery.policyUri', 'authorizationDetails.*.remembers:boolean'),
    ],
  },
  attestedClients: { call: attestedClients, accepted: { storage, attesterKeys: asyncNoop } },
  certificateFromHeader: {
    call: certificateFromHeader,
    accepted: { format: 'nginx', trust: 'this_proxy_sets_and_strips_it', chain: { header: 'x-verify' } },
    more: required('chain.header:string'),
  },
  createConnectedApps: { call: createConnectedApps, accepted: { storage } },
  createCookieSessions: {
    call: createCookieSessions,
    accepted: { storage, users },
    more: [...required('users.find'), ...list('users.timeout')],
  },
  createHealth: {
    call: createHealth,
    accepted: { server: createAuthorizationServer({ issuer, storage, keys, signedIn: asyncNoop }) },
  },
  createMemoryRateLimiter: { call: createMemoryRateLimiter, accepted: { points: 1, window: 1 } },
  createStoredKeys: { call: createStoredKeys, accepted: { storage, sealingKey } },
  registerClient: {
    call: (registration) => registerClient(registration, { storage: createMemoryStorage({ issuer }) }),
    accepted: { clientName: 'C', redirectUris: ['https://rp.test/cb'] },
  },
  'registerClient, its dependencies': {
    call: (deps) => registerClient({ clientName: 'C', redirectUris: ['https://rp.test/cb'] }, deps),
    accepted: { storage, clientRules },
    more: [
      ...required('storage'),
      ...list('keys', 'dangerouslyAllowOutbound', 'clientRules', 'clock', 'random'),
      ...rules,
    ],
  },
  'updateClient, its dependencies': {
    call: (deps) => updateClient({ clientId: 'C' }, {}, deps),
    accepted: { storage, clientRules },
    more: [
      ...required('storage'),
      ...list('keys', 'dangerouslyAllowOutbound', 'clientRules', 'clock', 'random'),
      ...rules,
    ],
  },
  addClientSecret: {
    call: async (change) => {
      const memory = createMemoryStorage({ issuer })
      const { client } = await registerClient(
        { clientName: 'C', redirectUris: ['https://rp.test/cb'] },
        { storage: memory },
      )
      return addClientSecret(client.clientId, change, { storage: memory })
    },
    accepted: { previousExpiresAt: 5 },
    more: list('previousExpiresAt'),
  },
  limitSignIns: { call: limitSignIns, accepted: {}, more: list('byAccount', 'byAddress', 'onEvent', 'clock') },
  withDirectoryRoles: {
    call: (options: Parameters<typeof withDirectoryRoles>[1]) => withDirectoryRoles(storage, options),
    accepted: { roles: ['owner'], rules: [{ role: 'owner', scimRole: 'Administrator' }] },
  },
  defineDetailType: {
    call: defineDetailType,
    accepted: { parse: noop, describe: noop },
    more: [
      ...required('parse', 'describe'),
      ...list('within', 'enrich', 'parseGranted', 'locations', 'remembers:boolean'),
    ],
  },
  defineGrant: {
    call: defineGrant,
    accepted: { grantType: 'urn:example:grant', decide: noop },
    more: [...required('grantType:string', 'decide'), ...list('refuseUnknown')],
  },
  createScimServer: {
    call: createScimServer,
    accepted: {
      issuer,
      storage,
      deprovisioningLimit: { users: 5 },
      accessTokens: { accessToken: asyncNoop },
      resourceTypes: [
        { resourceType: defineResourceType({ name: 'Role', endpoint: '/Roles', schema }), resources: noop },
      ],
    },
    more: [
      ...list('deprovisioningLimit.users', 'deprovisioningLimit.percent', 'deprovisioningLimit.window'),
      ...required('resourceTypes[].resourceType', 'resourceTypes[].resources'),
    ],
  },
  defineAttribute: { call: defineAttribute, accepted: { name: 'a' } },
  defineResourceType: {
    call: defineResourceType,
    accepted: { name: 'A', endpoint: '/As', schema },
  },
  defineSchema: {
    call: defineSchema,
    accepted: { id: 'urn:example:scim:A', name: 'A', attributes: [{ name: 'a' }] },
    more: list('attributes[].multiValued:boolean', 'attributes[].uniqueness'),
  },
  registerIdentityProvider: {
    call: (registration) => registerIdentityProvider(registration, { storage: createMemoryStorage({ issuer }) }),
    accepted: { providerId: 'acme' },
  },
  'registerIdentityProvider, its dependencies': {
    call: (deps) => registerIdentityProvider({ providerId: 'acme' }, deps),
    accepted: { storage },
    more: [...required('storage'), ...list('clock', 'random')],
  },
  addProviderSecret: {
    call: async (change) => {
      const memory = createMemoryStorage({ issuer })
      await registerIdentityProvider({ providerId: 'acme' }, { storage: memory })
      return addProviderSecret('acme', change, { storage: memory })
    },
    accepted: { previousExpiresAt: 5 },
    more: list('previousExpiresAt'),
  },
  createAdminServer: {
    call: createAdminServer,
    accepted: {
      issuer,
      storage,
      authorize: asyncNoop,
      accessTokens: { accessToken: asyncNoop },
      customFields,
      clientRules,
    },
    more: rules,
  },
  createAdministration: {
    call: createAdministration,
    accepted: { storage, customFields, clientRules },
    more: rules,
  },
  createConsole: {
    call: createConsole,
    accepted: { admin: createAdminServer({ issuer, storage, authorize: asyncNoop }) },
  },
  createDirectorySetup: {
    call: createDirectorySetup,
    accepted: { admin: createAdminServer({ issuer, storage, authorize: asyncNoop }) },
  },
  'initialAccessTokens.create': {
    call: (token) => administration().initialAccessTokens.create(token),
    accepted: { displayName: 'Partner', clients: 1, lifetime: 60, scopes: ['read'] },
    more: [
      ...required('displayName:string', 'clients:any number', 'lifetime:any number', 'scopes'),
      ...list('grantTypes', 'redirectHosts'),
    ],
  },
  'webhooks.create': {
    call: (webhook) => administration().webhooks.create(webhook),
    accepted: { url: 'https://hooks.test/a' },
    more: [...required('url:string'), ...list('types', 'includesUser:boolean')],
  },
  keepRequestLog: { call: keepRequestLog, accepted: { storage } },
  protectLastAdministrators: {
    call: protectLastAdministrators,
    accepted: { storage, customFields },
    more: list('protectedRoles', 'administrators:string'),
  },
  createResourceServer: {
    call: createResourceServer,
    accepted: {
      issuer,
      audience: 'https://api.test',
      credentials,
      dpop: { origin: 'https://api.test' },
      mutualTls: { certificate: { format: 'nginx', trust: 'this_proxy_sets_and_strips_it' } },
    },
    more: [
      ...required('credentials.clientId:string', 'credentials.clientSecret:string'),
      ...required('mutualTls.certificate.format', 'mutualTls.certificate.trust'),
      ...list('mutualTls.certificate.header:string'),
    ],
  },
  createSqlOAuthStorage: {
    call: createSqlOAuthStorage,
    accepted: { dialect: openSqliteDialect(':memory:', { migrate: 'on-open' }), issuer },
  },
  createSqlStorage: {
    call: createSqlStorage,
    accepted: { dialect: openSqliteDialect(':memory:', { migrate: 'on-open' }), issuer },
  },
  createRegistrationServer: {
    call: createRegistrationServer,
    accepted: {
      issuer,
      storage,
      keys: { algorithms: ['ES256'] },
      clientRules,
      limit: limiter,
      softwareStatements: [
        { issuer: 'https://s.test', jwks: { keys: [] }, grantTypes: [], scopes: [], redirectHosts: [] },
      ],
    },
    more: [
      ...rules,
      ...required('softwareStatements[].issuer:string', 'softwareStatements[].jwks', 'softwareStatements[].grantTypes'),
      ...required('softwareStatements[].scopes', 'softwareStatements[].redirectHosts'),
    ],
  },
  createProvisioning: { call: createProvisioning, accepted: { storage, keys } },
  createSignalReceiver: {
    call: createSignalReceiver,
    accepted: {
      issuer,
      storage,
      transmitters: [{ issuer: 'https://t.test', jwksUri: 'https://t.test/keys', audience: 'us', providerId: 'corp' }],
    },
    more: required(
      'transmitters',
      'transmitters[].issuer:string',
      'transmitters[].jwksUri:string',
      'transmitters[].audience:string',
      'transmitters[].providerId:string',
    ),
  },
  createSignalTransmitter: {
    call: createSignalTransmitter,
    accepted: { issuer, storage, keys: signalKeys, accessTokens: { accessToken: noop } },
    more: required('keys', 'accessTokens'),
  },
  createRouter: {
    call: createRouter,
    accepted: {
      origin: issuer,
      bodyLimit: 1,
      tooLarge: noop,
      routes: [{ path: '/a', methods: {}, renderError: noop }],
      notFound: noop,
      methodNotAllowed: noop,
    },
    more: [...required('routes[].path', 'routes[].methods', 'routes[].renderError'), ...list('routes[].crossOrigin')],
  },
  createPages: {
    call: createPages,
    accepted: { branding: { productName: 'P' } },
    more: [
      ...required('branding.productName:string'),
      ...list('branding.logo', 'branding.colors.light.accent', 'branding.footerLinks', 'branding.createAccountUrl'),
      ...list('branding.favicon', 'branding.backgroundImage', 'branding.font.family:string', 'branding.cornerRadius'),
    ],
  },
  createMemoryStorage: { call: createMemoryStorage, accepted: { issuer } },
  composeStorage: {
    call: composeStorage,
    accepted: { durable: storage, expiring: storage },
    more: required('durable', 'expiring'),
  },
  createRedisStorage: {
    call: createRedisStorage,
    accepted: { client: { evalSha: asyncNoop, eval: asyncNoop }, issuer },
  },
  openSqliteDialect: { call: (options) => openSqliteDialect(':memory:', options), accepted: {} },
  toMariadbDialect: {
    call: (options) => toMariadbDialect({ getConnection: noop }, options),
    accepted: {},
  },
  toPostgresDialect: {
    call: (options) => toPostgresDialect({ connect: noop, on: noop, options: {} } as never, options),
    accepted: {},
  },
  withinTransaction: {
    call: withinTransaction,
    accepted: {
      client: { query: () => Promise.resolve({ rows: [['read committed']], fields: [] }) },
      issuer,
      work: asyncNoop,
    },
    more: required('client', 'issuer:string', 'work'),
  },
  createTestCertificate: { call: createTestCertificate, accepted: { commonName: 'C' } },
  createTestIssuer: {
    call: createTestIssuer,
    accepted: {
      scopes: { read: { description: 'Read' } },
      resources: { 'https://api.test': { scopes: ['read'] } },
      mutualTls: { certificate: noop },
    },
  },
}

const documented = configurables(readPublicApi())

/** Values that no option accepts, except options whose type matches the last column. */
const wrongValues: readonly (readonly [string, unknown, RegExp?])[] = [
  ['a string', '10', /^string(?: \| undefined)?$/],
  ['a negative number', -1.5, /^any number$/],
  ['true', true, /^boolean$/],
  ['a list of symbols', [Symbol('wrong')]],
  ['an unexpected member', { unexpected: Symbol('wrong') }],
  ['null', null],
]

/** Returns whether the option belongs to an object that another function creates, which may have other members. */
const isForeign = (name: string): boolean => /^(?:keys|accessTokens|provisioning)\./.test(name)

describe.each(Object.entries(subjects))('%s', (subject, { call, accepted, more = [] }) => {
  const known = documented.find(({ name }) => name === subject)?.options ?? []
  const options: readonly Listed[] = [...known, ...more]
  /** Returns the error message of the function; `undefined` if it accepts the options. */
  const errorMessage = async (values: unknown): Promise<string | undefined> => {
    try {
      await call(values as never)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : 'no error'
    }
  }

  it('accepts valid options, and has at least one', async () => {
    expect(await errorMessage(accepted)).toBeUndefined()
    expect(options.length).toBeGreaterThan(0)
  })

  it.each(options.filter(({ name }) => !isForeign(name)))(
    'rejects a misspelling of $name with an error that names it',
    async ({ name }) => {
      const misspelled = changeAt(accepted, pathOf(name), (group, last) => ({ ...group, [`${last}_`]: 1 }))

      expect(await errorMessage(misspelled)).toContain(`${pathOf(name).at(-1)}_`)
    },
  )

  it.each(options)('rejects $name of a wrong type with an error that names it', async ({ name, type }) => {
    const wrong = wrongValues.filter(([, , except]) => except?.test(type) !== true)
    const changed = wrong.map(([, value]) =>
      changeAt(accepted, pathOf(name), (group, last) => ({ ...group, [last]: value })),
    )

    const messages = await Promise.all(changed.map(errorMessage))

    expect(messages.filter((text) => !isAbout(text, name))).toEqual([])
  })

  it.each(options.filter(({ isRequired }) => isRequired))(
    'rejects options without $name with an error that names it',
    async ({ name }) => {
      const lacking = changeAt(accepted, pathOf(name), (group, last) => ({ ...group, [last]: undefined }))

      expect(await errorMessage(lacking)).toSatisfy((text: string | undefined) => isAbout(text, name))
    },
  )

  it.each([['text'], [5], [[]], [null]])('rejects %j instead of options', async (value) => {
    expect(await errorMessage(value)).toBeDefined()
  })
})

it('covers every function that takes options', () => {
  expect(documented.map(({ name }) => name).filter((name) => !Object.hasOwn(subjects, name))).toEqual([])
})

const pathOf = (name: string): readonly string[] => name.replaceAll('[]', '.0').split('.')

/** Returns a copy of the options in which the group at the end of the path is changed. */
function changeAt(
  group: object,
  [first = '', ...rest]: readonly string[],
  change: (group: object, last: string) => object,
): unknown {
  if (rest.length === 0) return change(group, first)
  const key = first === '*' ? (Object.keys(group)[0] ?? '') : first
  const inner: unknown = Reflect.get(group, key) ?? {}
  const changed = changeAt(typeof inner === 'object' && inner !== null ? inner : {}, rest, change)
  return Array.isArray(group) ? [changed] : { ...group, [key]: changed }
}

/** Returns whether the message names the option or its group, ignoring case, spaces and underscores. */
function isAbout(text: string | undefined, name: string): boolean {
  const [first = '', last = first] = [pathOf(name)[0], pathOf(name).at(-1)]
  const letters = text?.replaceAll(/[\s_]/g, '').toLowerCase() ?? ''
  return letters.includes(last.toLowerCase()) || (last !== first && letters.includes(first.toLowerCase()))
}
