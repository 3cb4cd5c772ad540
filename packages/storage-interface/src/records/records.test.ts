import { describe, expect, it } from 'vitest'
import { codes } from '../authorization-code.ts'
import { clients } from '../client.ts'
import * as records from '../contract/complete-records.ts'
import { isSameValue } from '../contract/law.ts'
import { identityProviders } from '../identity-provider.ts'
import { interactions } from '../interaction.ts'
import type { JsonObject } from '../values.ts'
import { families } from '../token-family.ts'
import { organizations } from '../organization.ts'
import { users } from '../user.ts'
import { columnsOf, type Field, tableColumns } from './define-record.ts'
import { jsonCodec } from './json-codec.ts'

describe('columns', () => {
  it('makes column names from member names', () => {
    expect(columnsOf(codes.fields).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['digest', 'client_id', 'code_challenge_method', 'issued_at']),
    )
  })

  it('gives each member of a spread object its own column', () => {
    const refresh = columnsOf(families.fields).filter(({ within }) => within === 'refresh')

    expect(refresh.map(({ member, name }) => [member, name])).toEqual([
      ['handleDigest', 'handle_digest'],
      ['currentDigest', 'current_digest'],
      ['previousDigest', 'previous_digest'],
      ['successorSalt', 'successor_salt'],
      ['rotatedAt', 'rotated_at'],
      ['retriedAt', 'retried_at'],
      ['expiresAt', 'refresh_expires_at'],
    ])
  })

  it('keeps the uses of secrets in a separate column', () => {
    const columns: readonly string[] = tableColumns(clients)

    expect(columns.filter((name) => name.startsWith('secret'))).toEqual(['secrets', 'secret_uses'])
  })

  it('lists the issuer, the columns of the record and the columns that only storage has', () => {
    expect(tableColumns(identityProviders)).toEqual([
      'issuer',
      'provider_id',
      'display_name',
      'secrets',
      'secret_uses',
      'client_ids',
      'tolerance_profile',
      'verified_domains',
      'organization_id',
      'assertion_issuer',
      'assertion_jwks_uri',
      'assertion_jwks',
      'assertion_revocation_subject',
      'assertion_cross_app_access',
      'setup_link',
      'deprovisioning',
      'disabled_at',
      'created_at',
      'version',
      'removed_at',
    ])
  })
})

describe('jsonCodec', () => {
  const codec = jsonCodec(codes.fields, 'null')

  it.each([records.fullCode, records.sparseCode, records.emptyCode])('reads back the record that it wrote', (code) => {
    const stored = JSON.parse(JSON.stringify(codec.encode(code))) as JsonObject

    expect(isSameValue(codec.decode(stored), code)).toBe(true)
  })

  it('writes an absent member as null, and refuses a record without the member', () => {
    const stored = codec.encode(records.sparseCode)
    expect(stored).toMatchObject({ nonce: null, authentication: { acr: null } })

    const { nonce: _nonce, ...lost } = stored
    expect(() => codec.decode(lost)).toThrow('nonce')
  })

  it('omits an absent member if the setting is `omitted`, and reads the record back', () => {
    const omitting = jsonCodec(interactions.fields, 'omitted')
    const stored = omitting.encode(records.sparseInteraction)

    expect(stored).not.toHaveProperty('login')
    expect(omitting.decode(stored)).toStrictEqual(records.sparseInteraction)
  })

  it.each([
    ['a number in place of a string', { nonce: 1 }],
    ['a string that is not allowed', { codeChallengeMethod: 'plain' }],
    ['a fraction in place of whole seconds', { expiresAt: 1.5 }],
    ['a number in a list of strings', { scopes: ['a', 1] }],
    ['null for a required member', { redirectUri: null }],
    ['an object without one of its members', { authentication: { authTime: 1, acr: null, amr: [] } }],
  ])('refuses %s', (_title, damage) => {
    expect(() => codec.decode({ ...codec.encode(records.fullCode), ...damage })).toThrow('A stored record has no')
  })
})

describe('removal', () => {
  /** What a removed record keeps, because it identifies nobody and opens nothing: settings, and references by identifier. */
  const kept: Record<string, readonly string[]> = {
    clients: [
      'clientId',
      'organizationId',
      'documentDigest',
      ...'tokenEndpointAuthMethod grantTypes scopes servedAudiences profile resources authorizationDetailsTypes backchannelTokenDeliveryMode'.split(
        ' ',
      ),
      ...Object.keys(clients.fields).filter((name) => /(?:Alg|Enc)$/.test(name)),
    ],
    identityProviders: ['providerId', 'toleranceProfile', 'organizationId', 'deprovisioning'],
    organizations: ['organizationId'],
    users: ['userId', 'providerId'],
  }

  it.each([clients, identityProviders, organizations, users])(
    '$name: each text, list and object is erased or kept on purpose',
    ({ name, fields }) => {
      const free = Object.entries<Field>(fields).filter(
        ([, { kind, values }]) => !['integer', 'time', 'flag'].includes(kind) && values === undefined,
      )

      expect(
        free
          .filter(([, { erased }]) => !erased)
          .map(([member]) => member)
          .toSorted(),
      ).toEqual(kept[name]?.toSorted())
    },
  )

  it('leaves empty values of the kind of each erased member', () => {
    expect(identityProviders.tombstone).toEqual({
      displayName: '',
      secrets: [],
      clientIds: [],
      verifiedDomains: [],
      assertions: undefined,
    })
    expect(users.tombstone).toEqual({ active: false, activeAfterBlock: undefined, claims: {} })
  })
})
