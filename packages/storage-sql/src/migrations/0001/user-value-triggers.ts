import type { SqlEngine, SqlIndexedAttributes, SqlTrigger } from '../../dialect.ts'
import { insertChange } from './user-triggers.ts'

type Types = SqlEngine['types']

/**
 * Triggers that keep the indexed values of provisioned users. Most hosts declare no attributes: those of a new user have a trigger
 * of their own.
 */
export const userValueTriggers = (types: Types): readonly SqlTrigger[] => {
  const valuesOf = (row: string): string =>
    `SELECT * FROM (${builtInValuesOf(row, types)}) AS always UNION ALL SELECT * FROM (${declaredValuesOf(row, types)}) AS declared`
  /** Whether the user has moved to another provider, or to none. */
  const hasMoved = types.differ('OLD.provider_id', 'NEW.provider_id')
  /** The values of one version of the row that the other does not have. */
  const without = (one: string, other: string): string =>
    `${valuesOf(one)} EXCEPT SELECT * FROM (${valuesOf(other)}) AS kept WHERE NOT (${hasMoved})`
  return [
    {
      name: 'mintmark_user_indexed',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL',
      statements: [insertValues(builtInValuesOf('NEW', types)), insertChange()],
    },
    {
      name: 'mintmark_user_indexed_as_declared',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL',
      onlyIf: `SELECT 1 FROM mintmark_indexed_attributes WHERE issuer = NEW.issuer${locking(types.lockToRead)}`,
      statements: [insertValues(declaredValuesOf('NEW', types))],
    },
    {
      name: 'mintmark_user_reindexed',
      table: 'mintmark_users',
      after: 'UPDATE OF provider_id, user_name_key, comparable',
      when: `(${hasMoved} OR ${types.differ('OLD.user_name_key', 'NEW.user_name_key')} OR ${types.differ('OLD.comparable', 'NEW.comparable')})`,
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

const insertValues = (values: string): string =>
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
    SELECT NEW.issuer, NEW.provider_id, NEW.created_at, NEW.user_id, added.* FROM (${values}) AS added WHERE NEW.provider_id IS NOT NULL`

/** A query for the values of a version of a row that are always indexed. */
const builtInValuesOf = (row: string, types: Types): string =>
  types.indexedValues({ row, ...builtInAttributes(types, row) })

/** A query for the values that are indexed because the host declares it. */
const declaredValuesOf = (row: string, types: Types): string =>
  types.indexedValues({
    row,
    single: [declaredIn(row, 'part IS NULL', types)],
    several: [declaredIn(row, `part IS NOT NULL AND NOT ${isOrder}`, types)],
    first: [declaredIn(row, isOrder, types)],
  })

/** The attributes that the host of a row has declared. */
const declaredIn = (row: string, which: string, { lockToRead }: Types): SqlIndexedAttributes => ({
  attribute: 'declared.attribute',
  path: 'declared.path',
  part: 'declared.part',
  isUnique: 'declared.is_unique',
  from: `(SELECT attribute, path, part, is_unique FROM mintmark_indexed_attributes WHERE issuer = ${row}.issuer AND ${which} AND attribute <> 'emails.value'${locking(lockToRead)}) AS declared`,
})

/**
 * The attributes that are always indexed, with where they are in a row: those that identity providers search a directory of any
 * size by (see ADR 65). `externalId` has an index of its own.
 */
export const builtInAttributes = ({ pathOf, no, lockToRead }: Types, row: string) => ({
  keys: [['userName', 'user_name_key']] as const,
  several: [
    {
      attribute: `'emails.value'`,
      path: `'${pathOf(['emails'], 'value')}'`,
      part: `'value'`,
      // The host may declare that each address is unique.
      isUnique: `coalesce((SELECT is_unique FROM mintmark_indexed_attributes WHERE issuer = ${row}.issuer AND attribute = 'emails.value'${locking(lockToRead)}), ${no})`,
    },
  ],
})

/** A definition that is written while the statement waits counts as well. */
const locking = (lockToRead: string): string => (lockToRead === '' ? '' : ` ${lockToRead}`)
