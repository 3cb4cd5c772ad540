import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import type { ProviderCrossAppAccess } from '@mintmark/scim/engine'
import { type AdminStorage, type JsonObject, providerId, userId } from '@mintmark/storage-interface'
import { jsonText, type ProvisionedState } from '@mintmark/storage-interface/stores'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

import { basic, encode, postForm, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const okta = 'https://acme.okta.com'
export const partner = 'https://partner.example'
export const api = 'https://api.test'

type HeaderChange = Readonly<Record<string, string | undefined>>

/** A server that accepts JWTs of `partner`, and ID-JAGs of the directory `acme`, whose issuer is `okta`. */
export interface AssertionSite extends ServerUnderTest {
  /** Signs claims with the key of both issuers. */
  sign(claims: JWTPayload, header?: HeaderChange): Promise<string>
  /** Signs an ID-JAG of the directory for Kim and the client `agent`. */
  idJag(claims?: JWTPayload, header?: HeaderChange): Promise<string>
  /** Signs a JWT of the partner for U1. */
  partnerJwt(claims?: JWTPayload, header?: HeaderChange): Promise<string>
  /** Presents an assertion as the client `agent`. */
  present(assertion: string, change?: Change, headers?: Readonly<Record<string, string>>): Promise<Reply>
  readonly secrets: Readonly<Record<string, string>>
}

export const kim = 'kim'

export interface AssertionSiteOptions {
  /** `none`: the ID-JAGs of the directory are refused. */
  readonly access?: Partial<ProviderCrossAppAccess> | 'none'
  readonly maxLifetime?: number
  readonly storage?: AdminStorage
  readonly issuer?: string
}

export async function startAssertionSite({
  access = {},
  maxLifetime,
  ...options
}: AssertionSiteOptions = {}): Promise<AssertionSite> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] }
  const site = await startServer({
    ...options,
    resources: { [api]: { scopes: ['api.read', 'api.write'] }, 'https://other.test': { scopes: ['api.read'] } },
    crossAppAccess: { accepts: true },
    jwtBearer: {
      issuers: [
        {
          issuer: partner,
          jwks,
          clients: ['agent'],
          scopes: ['api.read'],
          audiences: [api],
          ...(maxLifetime !== undefined && { maxLifetime }),
          findUser: ({ sub }) => (sub === 'partner-7' ? 'U1' : sub === 'partner-8' ? 'gone' : undefined),
        },
      ],
    },
  })
  const { storage, clock } = site
  const secrets: Record<string, string> = {}
  for (const id of ['agent', 'stranger']) {
    const registered = await registerClient(
      {
        clientId: id,
        clientName: id,
        grantTypes: [jwtBearerGrant],
        scopes: ['openid', 'offline_access', 'api.read', 'api.write'],
      },
      { storage, clientRules: site.server.clientRules },
    )
    secrets[id] = registered.clientSecret ?? ''
  }
  await addDirectory(site, { jwks, access })
  // Storage records the first use of a secret; later requests change nothing.
  for (const [id, secret] of Object.entries(secrets))
    await postForm(site, '/token/introspection', encode({ token: 'x' }), { authorization: basic(id, secret) })
  const sign: AssertionSite['sign'] = (claims, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(privateKey)
  let tokens = 0
  const shared = () => ({
    aud: site.issuer,
    jti: `jti-${(tokens += 1)}`,
    iat: clock.now(),
    exp: clock.now() + 300,
  })
  return {
    ...site,
    secrets,
    sign,
    idJag: (claims = {}, header = {}) =>
      sign(
        {
          iss: okta,
          sub: 'okta-kim',
          client_id: 'agent',
          scope: 'api.read api.write',
          resource: api,
          ...shared(),
          ...claims,
        },
        { typ: 'oauth-id-jag+jwt', ...header },
      ),
    partnerJwt: (claims = {}, header = {}) => sign({ iss: partner, sub: 'partner-7', ...shared(), ...claims }, header),
    present: (assertion, change = {}, headers = {}) =>
      postForm(site, '/token', encode({ grant_type: jwtBearerGrant, assertion, ...change }), {
        authorization: basic('agent', secrets['agent'] ?? ''),
        ...headers,
      }),
  }
}

/** Adds the directory `acme` with the user Kim, whose `externalId` is `okta-kim`, and `beta`, which signs nothing. */
async function addDirectory(
  { storage, clock }: ServerUnderTest,
  { jwks, access }: { readonly jwks: JsonObject; readonly access: NonNullable<AssertionSiteOptions['access']> },
): Promise<void> {
  const crossAppAccess = access !== 'none' && {
    clientIds: ['agent'],
    scopes: ['api.read'],
    resources: [api, 'https://other.test'],
    ...access,
  }
  await registerIdentityProvider(
    { providerId: 'acme', assertions: { issuer: okta, jwks, ...(crossAppAccess && { crossAppAccess }) } },
    { storage, clock: clock.now },
  )
  await registerIdentityProvider({ providerId: 'beta' }, { storage, clock: clock.now })
  for (const [provider, id, externalId] of [
    ['acme', kim, 'okta-kim'],
    ['beta', 'lee', 'okta-lee'],
  ] as const) {
    const state = stateOf(id, { externalId, active: true })
    const user = { providerId: providerId(provider), userId: userId(id), createdAt: clock.now(), state }
    await storage.provisionedUsers.insert(user)
  }
}

const stateOf = (
  id: string,
  { externalId, active }: { readonly externalId: string | undefined; readonly active: boolean },
): ProvisionedState => ({
  active,
  externalId,
  resource: jsonText({ userName: id }),
  renderKey: 'k',
  comparable: { userName: id },
  claims: { name: id, email: `${id}@acme.example` },
})

/** Deactivates Kim, or activates her again, as her directory does. */
export async function setActive({ storage, clock }: ServerUnderTest, active: boolean): Promise<void> {
  const found = await storage.provisionedUsers.find(providerId('acme'), userId(kim))
  if (found === undefined) throw new Error('Kim is not provisioned.')
  const { providerId: provider, userId: user, version, externalId } = found
  const state = stateOf(kim, { externalId, active })
  await storage.provisionedUsers.compareAndSwap({
    providerId: provider,
    userId: user,
    version,
    state,
    now: clock.now(),
  })
}
