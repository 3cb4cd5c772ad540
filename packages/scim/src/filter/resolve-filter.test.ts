import { expect, test } from 'vitest'
import { isDeeplyFrozen } from '../../test/fixtures/frozen.ts'
import { refusalOf, summarizeRefusal } from '../../test/fixtures/refused.ts'
import { userResourceType } from '../schema/user-schema.ts'
import { allTolerances, createToleranceCounter } from '../tolerance/tolerances.ts'
import { parseFilter } from './parse-filter.ts'
import { resolveFilter } from './resolve-filter.ts'

const resolve = (text: string) => resolveFilter(parseFilter(text), userResourceType)

function resolveTolerantly(text: string) {
  const tolerances = createToleranceCounter(allTolerances)
  const filter = resolveFilter(parseFilter(text, tolerances), userResourceType, tolerances)
  return { filter, applied: tolerances.applied().map(({ tolerance }) => tolerance) }
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test('spells names as the schema does, and folds values that are not case-exact', () => {
  expect(resolve('USERNAME eq "Kim@X.test"')).toEqual({
    kind: 'text',
    attribute: { extension: undefined, name: 'userName', subName: undefined, multiValued: false },
    operator: 'eq',
    value: 'kim@x.test',
  })
})

test.each([
  ['externalId eq "AB"', { kind: 'text', value: 'AB' }],
  [
    'urn:IETF:params:scim:schemas:core:2.0:user:userName eq "a"',
    { attribute: { extension: undefined, name: 'userName' } },
  ],
  [`${enterprise}:department eq "a"`, { attribute: { extension: enterprise, name: 'department' } }],
  [
    `${enterprise.toUpperCase()}:MANAGER.VALUE eq "a"`,
    { attribute: { extension: enterprise, name: 'manager', subName: 'value' } },
  ],
  ['name.familyName eq "a"', { attribute: { name: 'name', subName: 'familyName' } }],
  ['schemas eq "a"', { kind: 'text', attribute: { name: 'schemas', multiValued: true } }],
  ['active eq true', { kind: 'boolean', value: true }],
  ['meta.created gt "2020-01-01T01:00:00+01:00"', { kind: 'number', value: Date.parse('2020-01-01T00:00:00Z') }],
  ['emails eq "a"', { kind: 'element', where: { kind: 'text', attribute: { name: 'value' } } }],
  ['emails.type eq "a"', { kind: 'element', attribute: { name: 'emails' }, where: { attribute: { name: 'type' } } }],
  ['emails[type eq "a"]', { kind: 'element', where: { kind: 'text', attribute: { name: 'type' } } }],
  [
    'emails.type ne "a"',
    { kind: 'or', operands: [{ kind: 'not', operand: { kind: 'present' } }, { kind: 'element' }] },
  ],
  ['emails pr', { kind: 'present', attribute: { name: 'emails' } }],
  ['emails.value pr', { kind: 'element', where: { kind: 'present' } }],
  ['name pr', { kind: 'present', attribute: { name: 'name', subName: undefined } }],
  ['title eq null', { kind: 'not', operand: { kind: 'present', attribute: { name: 'title' } } }],
  ['title ne null', { kind: 'present', attribute: { name: 'title' } }],
  ['x509Certificates.value eq "AAAA"', { kind: 'element', where: { kind: 'text', value: 'AAAA' } }],
])('resolves %s (RFC 7644 §3.4.2.2)', (text, expected) => {
  expect(resolve(text)).toMatchObject(expected)
})

test.each([
  ['nothing eq "x"', 'filter_attribute_unknown'],
  ['userName.value eq "x"', 'filter_attribute_unknown'],
  ['name.nothing eq "x"', 'filter_attribute_unknown'],
  ['urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "x"', 'filter_attribute_unknown'],
  [`${enterprise} pr`, 'filter_attribute_unknown'],
  ['department eq "x"', 'filter_attribute_unknown'],
  ['emails[nothing eq "x"]', 'filter_attribute_unknown'],
  ['emails[value.x eq "x"]', 'filter_attribute_unknown'],
  ['emails[urn:ietf:params:scim:schemas:core:2.0:User:value eq "x"]', 'filter_attribute_unknown'],
  ['password eq "x"', 'filter_attribute_secret'],
  ['password pr', 'filter_attribute_secret'],
  ['active gt true', 'filter_operator'],
  ['active co "t"', 'filter_operator'],
  ['active sw true', 'filter_operator'],
  ['x509Certificates.value gt "A"', 'filter_operator'],
  ['x509Certificates co "A"', 'filter_operator'],
  ['meta.created co "2020"', 'filter_operator'],
  ['name eq "x"', 'filter_operator'],
  ['addresses eq "x"', 'filter_operator'],
  [`${enterprise}:manager eq "x"`, 'filter_operator'],
  ['name[familyName eq "x"]', 'filter_operator'],
  ['userName[value eq "x"]', 'filter_operator'],
  ['emails.value[type eq "x"]', 'filter_operator'],
  ['title gt null', 'filter_operator'],
  ['userName eq 5', 'filter_value_type'],
  ['userName eq true', 'filter_value_type'],
  ['active eq "true"', 'filter_value_type'],
  ['active eq 1', 'filter_value_type'],
  ['meta.created gt "yesterday"', 'filter_value_type'],
  ['meta.created gt "2020-01-01T00:00:00"', 'filter_value_type'],
  ['meta.created gt "2020-02-31T00:00:00Z"', 'filter_value_type'],
  ['meta.created gt 5', 'filter_value_type'],
])('refuses %s (RFC 7644 §3.4.2.2)', (text, reason) => {
  expect(summarizeRefusal(() => resolve(text))).toBe(`400 invalidFilter ${reason}`)
})

test.each([
  ['email eq "x"', 'Did you mean emails.value?'],
  ['givenName eq "x"', 'Did you mean name.givenName?'],
  ['manager pr', `Did you mean ${enterprise}:manager?`],
  ['urn:other:schema:userName eq "x"', 'Did you mean userName?'],
])('suggests the attribute that was probably meant, as for Ping: %s', (text, detail) => {
  expect(refusalOf(() => resolve(text)).detail).toContain(detail)
})

test.each([
  ['address pr', 'does not have.'],
  ['email<script> eq "x"', 'does not follow the grammar'],
  ['zzz eq "x"', 'does not have.'],
])('refuses %s and suggests no other attribute', (text, detail) => {
  expect(refusalOf(() => resolve(text)).detail).toContain(detail)
  expect(refusalOf(() => resolve(text)).detail).not.toContain('Perhaps')
})

test.each([
  ['externalId eq jdoe', ['unquoted-filter-value'], { kind: 'text', value: 'jdoe' }],
  ['externalId eq 00123', ['unquoted-filter-value'], { kind: 'text', value: '00123' }],
  ['externalId eq 123', ['unquoted-filter-value'], { kind: 'text', value: '123' }],
  ['active eq "True"', ['boolean-as-text'], { kind: 'boolean', value: true }],
  ['active eq False', ['unquoted-filter-value', 'boolean-as-text'], { kind: 'boolean', value: false }],
  ['roles[primary eq "True"]', ['boolean-as-text'], { kind: 'element', where: { kind: 'boolean', value: true } }],
  [
    'id eq "A" and manager eq "B"',
    ['extension-attribute-without-urn', 'complex-means-value'],
    {
      kind: 'and',
      operands: [
        {},
        { kind: 'text', value: 'B', attribute: { extension: enterprise, name: 'manager', subName: 'value' } },
      ],
    },
  ],
  [
    'emails[type eq "work"].value eq "K"',
    ['sub-attribute-after-value-filter'],
    {
      kind: 'element',
      where: { kind: 'and', operands: [{ value: 'work' }, { value: 'k', attribute: { name: 'value' } }] },
    },
  ],
  [
    'urn:scim:schemas:core:1.0:userName eq "k"',
    ['legacy-urns'],
    { attribute: { extension: undefined, name: 'userName' } },
  ],
  [
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0User:department eq "k"',
    ['legacy-urns'],
    { attribute: { extension: enterprise, name: 'department' } },
  ],
])('resolves %s with the tolerances that Entra and others need', (text, applied, expected) => {
  const result = resolveTolerantly(text)

  expect(result.filter).toMatchObject(expected)
  expect(result.applied).toEqual(applied)
})

test('returns a deeply frozen filter of plain JSON', () => {
  const filter = resolve(
    'emails[type eq "work" and not (value pr)] or active eq true or meta.created gt "2020-01-01T00:00:00Z"',
  )

  expect(isDeeplyFrozen(filter)).toBe(true)
  expect(JSON.parse(JSON.stringify(filter))).toEqual(filter)
})
