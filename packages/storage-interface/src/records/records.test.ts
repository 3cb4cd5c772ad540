import { describe, expect, it } from 'vitest'
import { codes } from '../authorization-code.ts'
import { clients } from '../client.ts'
import * as records from '../contract/complete-records.ts'
import { isSameValue } from '../contract/law.ts'
import { identityProviders } from '../identity-provider.ts'
import { interactions } from '../interaction.ts'
import type { JsonObject } from '../values.ts'
import { families } from '../token-family.ts'
import { columnsOf, tableColumns } from './define-record.ts'
import { jsonCodec } from './json-codec.ts'

describe('columns', () => {
  it('makes column names from member names', () => {
    expect(columnsOf(codes.fields).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['digest', 'client_id', 'code_challenge_method', 'issued_at']),
    )
  })

  it('gives the members of a spread object a column each', () => {
    const refresh = columnsOf(families.fields).filter(({ within }) => within === 'refresh')

    expect(refresh.map(({ member, name }) => [member, name])).toEqual([
      ['handleDigest', 'handle_digest'],
      ['currentDigest', 'current_digest'],
      ['previousDigest', 'previous_digest'],
      ['successorSalt', 'successor_salt'],
      ['rotatedAt', 'rotated_at'],
      ['expiresAt', 'refresh_expires_at'],
    ])
  })

  it('keeps the uses of secrets in a column of their own', () => {
    const columns: readonly string[] = tableColumns(clients)

    expect(columns.filter((name) => name.startsWith('secret'))).toEqual(['secrets', 'secret_uses'])
  })

  it('lists the issuer, the record and what only storage has', () => {
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
      'offboarding',
      'disabled_at',
      'created_at',
      'version',
      'removed_at',
    ])
  })
})

describe('jsonCodec', () => {
  const codec = jsonCodec(codes.fields, 'null')

  it.each([records.fullCode, records.sparseCode, records.emptyCode])('reads the record that was written', (code) => {
    const stored = JSON.parse(JSON.stringify(codec.encode(code))) as JsonObject

    expect(isSameValue(codec.decode(stored), code)).toBe(true)
  })

  it('writes an absent member as null and refuses a record that has lost it', () => {
    const stored = codec.encode(records.sparseCode)
    expect(stored).toMatchObject({ nonce: null, authentication: { acr: null } })

    const { nonce: _nonce, ...lost } = stored
    expect(() => codec.decode(lost)).toThrow('nonce')
  })

  it('omits an absent member where that is asked for, and reads it back', () => {
    const omitting = jsonCodec(interactions.fields, 'omitted')
    const stored = omitting.encode(records.sparseInteraction)

    expect(stored).not.toHaveProperty('login')
    expect(omitting.decode(stored)).toStrictEqual(records.sparseInteraction)
  })

  it.each([
    ['a number where a text belongs', { nonce: 1 }],
    ['a text that is not among the allowed ones', { codeChallengeMethod: 'plain' }],
    ['a fraction where whole seconds belong', { expiresAt: 1.5 }],
    ['a list with a number among its texts', { scopes: ['a', 1] }],
    ['null for a member that is never absent', { redirectUri: null }],
    ['an object without one of its members', { authentication: { authTime: 1, acr: null, amr: [] } }],
  ])('refuses %s', (_title, damage) => {
    expect(() => codec.decode({ ...codec.encode(records.fullCode), ...damage })).toThrow('A stored record has no')
  })

  it('keeps the stored names of the members of a deprovisioning count', () => {
    const { deprovisioning } = identityProviders.fields
    const { encode } = jsonCodec(deprovisioning.fields ?? {}, 'omitted')

    expect(encode({ windowStartedAt: 1, count: 2, cohorts: undefined, suspendedAt: 3 })).toEqual({
      windowStartedAt: 1,
      count: 2,
      heldAt: 3,
    })
  })
})
