import type { JsonObject } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { detailsFor, enrichDetail, narrowDetails, parseDetails } from './authorization-details.ts'
import {
  type AuthorizationDetailType,
  defineDetailType,
  detailTypeRegistry,
  isEqualJson,
  isWithin,
} from './detail-types.ts'

const reading = defineDetailType<JsonObject>({
  parse: (value) => value,
  describe: () => ({ title: 'Read' }),
  within: (requested, granted) => list(granted['accounts']).includes(requested['account']),
})

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const rulesOf = (type: Partial<AuthorizationDetailType> = {}) => ({
  client: aClientRecord({ authorizationDetailsTypes: ['reading'] }),
  types: detailTypeRegistry({ reading: { ...reading, ...type } }),
})

const entry = (members: JsonObject): JsonObject => ({ type: 'reading', ...members })

describe('authorization_details', () => {
  it('may have up to 8192 bytes in UTF-8 (RFC 9396 §5)', async () => {
    const ofBytes = (bytes: number) => {
      const rest = bytes - JSON.stringify([entry({ text: '' })]).length
      return JSON.stringify([entry({ text: '\u00E9'.repeat(Math.floor(rest / 2)) + 'x'.repeat(rest % 2) })])
    }

    const longest = await parseDetails(ofBytes(8192), rulesOf())

    expect(longest).toHaveLength(1)
    await expect(parseDetails(ofBytes(8193), rulesOf())).rejects.toMatchObject({
      code: 'invalid_authorization_details',
      reason: 'details_malformed',
    })
  })

  it('leads to a StorageUnavailableError instead of a refusal when parse cannot reach storage', async () => {
    const outage = new StorageUnavailableError('down')
    const parse = () => Promise.reject(outage)

    await expect(parseDetails('[{"type":"reading"}]', rulesOf({ parse }))).rejects.toBe(outage)
  })

  it.each([
    ['another type', () => ({ type: 'payment' })],
    ['more than 8 KiB', (value: JsonObject) => ({ ...value, text: 'x'.repeat(8192) })],
    ['nine nested levels', (value: JsonObject) => ({ ...value, deep: [[[[[[[]]]]]]] })],
    ['a character that storage cannot hold', (value: JsonObject) => ({ ...value, text: '\u0000' })],
  ])('leads to a TypeError when parse returns an entry with %s', async (_case, parse) => {
    await expect(parseDetails('[{"type":"reading"}]', rulesOf({ parse }))).rejects.toThrow(TypeError)
  })
})

describe('enrichDetail', () => {
  const enrich = (detail: JsonObject, choice: unknown): JsonObject => {
    if (choice instanceof Error) throw choice
    return { ...detail, text: 'x'.repeat(Number(choice)) }
  }
  const { types } = rulesOf({ enrich })
  const rest = JSON.stringify(entry({ text: '' })).length

  it("adds the user's choice within the size limit (RFC 9396 §7.1)", async () => {
    const enriched = await enrichDetail(entry({}), 8192 - rest, types)

    expect(JSON.stringify(enriched)).toHaveLength(8192)
    await expect(enrichDetail(entry({}), 8193 - rest, types)).rejects.toMatchObject({ reason: 'detail_invalid' })
  })

  it('refuses a choice that the type rejects, but reports an outage of storage as such (RFC 9396 §7.1)', async () => {
    const [wrong, outage] = [new Error('wrong'), new StorageUnavailableError('down')]

    await expect(enrichDetail(entry({}), wrong, types)).rejects.toMatchObject({
      code: 'invalid_authorization_details',
      reason: 'detail_invalid',
      cause: wrong,
    })
    await expect(enrichDetail(entry({}), outage, types)).rejects.toBe(outage)
  })
})

describe('narrowDetails', () => {
  it('assigns each requested entry to a different granted entry, whatever their order (RFC 9396 §6)', async () => {
    const [both, one] = [entry({ accounts: ['a', 'b'] }), entry({ accounts: ['a'] })]
    const requested = [entry({ account: 'a' }), entry({ account: 'b' })]

    await expect(narrowDetails(JSON.stringify(requested), [both, one], rulesOf())).resolves.toEqual(requested)
    await expect(narrowDetails(JSON.stringify(requested), [one, both], rulesOf())).resolves.toEqual(requested)
    await expect(narrowDetails(JSON.stringify(requested), [both], rulesOf())).rejects.toMatchObject({
      reason: 'detail_not_granted',
    })
  })

  it('accepts only equal entries of a type without within, whatever the order of their members (RFC 9396 §6)', async () => {
    const plain = defineDetailType<JsonObject>({ parse: (value) => value, describe: () => ({ title: 'Read' }) })
    const rules = { ...rulesOf(), types: detailTypeRegistry({ reading: plain }) }
    const granted = [entry({ account: 'a', days: [1, 2], none: null })]
    const narrow = (text: string) => narrowDetails(text, granted, rules)

    await expect(narrow('[{"none":null,"days":[1,2],"account":"a","type":"reading"}]')).resolves.toEqual(granted)
    for (const other of [
      '"days":[2,1],"none":null',
      '"days":[1],"none":null',
      '"days":[1,2]',
      '"days":{"0":1,"1":2},"none":null',
    ])
      await expect(narrow(`[{"type":"reading","account":"a",${other}}]`)).rejects.toMatchObject({
        reason: 'detail_not_granted',
      })
  })
})

describe('isEqualJson', () => {
  it.each([
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [null, null, true],
    [null, {}, false],
    [{}, null, false],
    [undefined, {}, false],
    [[], {}, false],
    ['ab', { 0: 'a', 1: 'b' }, false],
    [{ 0: 'a', 1: 'b' }, 'ab', false],
    [1, '1', false],
    [{ a: 1 }, { b: 1 }, false],
  ])('compares %j with %j: %s', (one, other, isEqual) => {
    expect(isEqualJson(one, other)).toBe(isEqual)
  })
})

it('finds no entry within an entry of another type', () => {
  const types = detailTypeRegistry({ reading: { ...reading, within: () => true }, payment: reading })

  expect(isWithin({ type: 'reading' }, { type: 'reading' }, types)).toBe(true)
  expect(isWithin({ type: 'reading' }, { type: 'payment' }, types)).toBe(false)
})

it('takes the locations of an entry from its type, or else from its member locations (RFC 9396 §2.2)', () => {
  const details = [entry({ locations: ['https://a.test', 5] }), entry({ api: 'https://b.test' })]
  const { types } = rulesOf({ locations: ({ api }) => (typeof api === 'string' ? [api] : []) })

  expect(detailsFor(details, ['https://a.test'], rulesOf().types)).toEqual(details)
  expect(detailsFor(details, ['https://c.test'], rulesOf().types)).toEqual([details[1]])
  expect(detailsFor(details, ['https://c.test'], types)).toEqual([details[0]])
})

it('refuses a type that has both enrich and remembers', () => {
  const chosen = { ...reading, remembers: true, enrich: (detail: JsonObject) => detail }

  expect(() => detailTypeRegistry({ reading: chosen })).toThrow('authorizationDetails: reading has enrich')
})
