import type { SqlEngine, SqlIndexedAttributes, SqlTrigger } from '../../dialect.ts'
import { insertChange } from './user-triggers.ts'

type Types = SqlEngine['types']

/** Triggers that keep the indexed values of provisioned users. */
export const userValueTriggers = (types: Types): readonly SqlTrigger[] => {
  const valuesOf = (row: string): string => indexedValuesOf(row, types)
  /** The values of one version of the row that the other does not have. */
  const without = (one: string, other: string): string =>
    `${valuesOf(one)} EXCEPT SELECT * FROM (${valuesOf(other)}) AS kept WHERE NOT (${hasMoved})`
  return [
    {
      name: 'mintmark_user_indexed',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL',
      statements: [insertValues(valuesOf('NEW')), insertChange()],
    },
    {
      name: 'mintmark_user_reindexed',
      table: 'mintmark_users',
      after: 'UPDATE OF provider_id, external_id, comparable',
      when: `(${hasMoved} OR OLD.external_id IS DISTINCT FROM NEW.external_id OR OLD.comparable IS DISTINCT FROM NEW.comparable)`,
      statements: [
        types.removeRows({
          table: 'mintmark_user_values',
          row: 'OLD',
          same: ['issuer', 'provider_id', 'created_at', 'user_id'],
          columns: ['attribute', 'kind', 'value'],
          query: `SELECT attribute, kind, value FROM (${without('OLD', 'NEW')}) AS gone`,
        }),
        insertValues(without('NEW', 'OLD')),
      ],
    },
  ]
}

/** The name in the index of the order by an attribute with several values. No attribute has a name with spaces. */
export const orderName = (attribute: string): string => `${orderPrefix}${attribute}`

const orderPrefix = 'order of '

const isOrder = `substr(attribute, 1, ${orderPrefix.length}) = '${orderPrefix}'`

/** Whether the user has moved to another provider, or to none. */
const hasMoved = 'OLD.provider_id IS DISTINCT FROM NEW.provider_id'

const insertValues = (values: string): string =>
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
    SELECT NEW.issuer, NEW.provider_id, NEW.created_at, NEW.user_id, added.* FROM (${values}) AS added WHERE NEW.provider_id IS NOT NULL`

/** A query for the indexed values of a version of a row. */
const indexedValuesOf = (row: string, types: Types): string => {
  const { columns, single, several, first } = builtInAttributes(types)
  const declared = (which: string) => declaredIn(row, which)
  return types.indexedValues({
    row,
    columns,
    single: [...single, declared('part IS NULL')],
    several: [...several, declared(`part IS NOT NULL AND NOT ${isOrder}`)],
    first: [...first, declared(isOrder)],
  })
}

/** The attributes that the host of a row has declared. */
const declaredIn = (row: string, which: string): SqlIndexedAttributes => ({
  attribute: 'declared.attribute',
  path: 'declared.path',
  part: 'declared.part',
  isUnique: 'declared.is_unique',
  from: `(SELECT attribute, path, part, is_unique FROM mintmark_indexed_attributes WHERE issuer = ${row}.issuer AND ${which}) AS declared`,
})

/** The attributes that are always indexed, with where they are in a resource. */
export const builtInAttributes = ({ pathOf, no }: Types) => {
  const indexed = (attribute: string, path: string, part?: string): SqlIndexedAttributes => ({
    attribute: `'${attribute}'`,
    path: `'${path}'`,
    part: part === undefined ? 'NULL' : `'${part}'`,
    isUnique: no,
  })
  const several = ['emails', 'phoneNumbers'] as const
  return {
    columns: [['externalId', 'external_id']] as const,
    single: [
      indexed('userName', pathOf(['userName'])),
      indexed('displayName', pathOf(['displayName'])),
      indexed('name.familyName', pathOf(['name', 'familyName'])),
      indexed('enterprise:employeeNumber', pathOf([enterprise, 'employeeNumber'])),
    ],
    several: several.map((name) => indexed(`${name}.value`, pathOf([name], 'value'), 'value')),
    first: several.map((name) => indexed(orderName(`${name}.value`), pathOf([name]), 'value')),
  }
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
