import type { SqlEngine, SqlTrigger } from '../dialect.ts'

type Types = SqlEngine['types']

/**
 * Triggers that update the indexed values of provisioned users and the times of their last change. They are part of the
 * migration that creates these tables, and never change. Migration 0051 replaces those of `indexTriggers`.
 */
export const valueTriggers = (types: Types): readonly SqlTrigger[] => [
  {
    name: 'mintmark_user_provisioned',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [
      // Last, because it locks the total, which all users of the provider share, until the transaction ends.
      `INSERT INTO mintmark_provider_totals (issuer, provider_id, kind, total) VALUES (NEW.issuer, NEW.provider_id, 'User', 1)
    ON CONFLICT (issuer, provider_id, kind) DO UPDATE SET total = mintmark_provider_totals.total + 1`,
    ],
  },
  ...indexTriggers(types, (row) => valuesOf(row, types)),
  {
    name: 'mintmark_user_touched',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id, active, updated_at',
    when: `(${hasMoved} OR OLD.active <> NEW.active OR OLD.updated_at <> NEW.updated_at)`,
    statements: [
      `DELETE FROM mintmark_user_changes WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id
    AND updated_at = OLD.updated_at AND created_at = OLD.created_at AND user_id = OLD.user_id`,
      insertChange,
    ],
  },
]

/** Triggers that update the indexed values of provisioned users. @param valuesOf a query for the values of a version of a row. */
function indexTriggers(types: Types, valuesOf: (row: string) => string): readonly SqlTrigger[] {
  /** The values of one version of the row that the other does not have. */
  const without = (one: string, other: string): string =>
    `${valuesOf(one)} EXCEPT SELECT * FROM (${valuesOf(other)}) AS kept WHERE NOT (${hasMoved})`
  return [
    {
      name: 'mintmark_user_indexed',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL',
      statements: [insertValues(valuesOf('NEW')), insertChange],
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

/** The triggers of `indexTriggers` since migration 0051: they keep the orders of attributes with several values as well. */
export const orderTriggers = (types: Types): readonly SqlTrigger[] =>
  indexTriggers(types, (row) => {
    const { columns, single, several, first } = builtIn(types)
    const declared = (which: string) => declaredIn(row, which)
    return types.indexedValues({
      row,
      columns,
      single: `${single} UNION ALL ${declared('part IS NULL')}`,
      several: `${several} UNION ALL ${declared(`part IS NOT NULL AND NOT ${isOrder}`)}`,
      first: `${first} UNION ALL ${declared(isOrder)}`,
    })
  })

/** Fills the table with the orders of the users that exist already. */
export const firstOrders = (types: Types): string =>
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
${types.indexedValues({ first: builtIn(types).first, row: 'listed', from: 'mintmark_users AS listed' })}`

/** The name in the index of the order by an attribute with several values. No attribute has a name with spaces. */
export const orderName = (attribute: string): string => `${orderPrefix}${attribute}`

const orderPrefix = 'order of '

const isOrder = `substr(attribute, 1, ${orderPrefix.length}) = '${orderPrefix}'`

/** Fills the tables for the users that exist already. */
export const firstValues = (types: Types): readonly string[] => [
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
${types.indexedValues({ ...withoutOrders(types), row: 'listed', from: 'mintmark_users AS listed' })}`,
  `INSERT INTO mintmark_user_changes (issuer, provider_id, updated_at, created_at, user_id, active)
SELECT issuer, provider_id, updated_at, created_at, user_id, active FROM mintmark_users WHERE provider_id IS NOT NULL`,
]

/** Whether the user has moved to another provider, or to none. */
const hasMoved = 'OLD.provider_id IS DISTINCT FROM NEW.provider_id'

const insertChange = `INSERT INTO mintmark_user_changes (issuer, provider_id, updated_at, created_at, user_id, active)
    SELECT NEW.issuer, NEW.provider_id, NEW.updated_at, NEW.created_at, NEW.user_id, NEW.active WHERE NEW.provider_id IS NOT NULL`

const insertValues = (values: string): string =>
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
    SELECT NEW.issuer, NEW.provider_id, NEW.created_at, NEW.user_id, added.* FROM (${values}) AS added WHERE NEW.provider_id IS NOT NULL`

/** The indexed values of a version of a row. */
const valuesOf = (row: string, types: Types): string => {
  const { columns, single, several } = builtIn(types)
  const declared = (which: string) => declaredIn(row, which)
  return types.indexedValues({
    row,
    columns,
    single: `${single} UNION ALL ${declared('part IS NULL')}`,
    several: `${several} UNION ALL ${declared('part IS NOT NULL')}`,
  })
}

/** The attributes that the host of a row has declared. */
const declaredIn = (row: string, which: string): string =>
  `SELECT attribute, path, part, is_unique FROM mintmark_indexed_attributes WHERE issuer = ${row}.issuer AND ${which}`

const withoutOrders = (types: Types) => {
  const { columns, single, several } = builtIn(types)
  return { columns, single, several }
}

/** The attributes that are always indexed, with where they are in a resource. */
const builtIn = ({ pathOf, no }: Types) => {
  const single = [
    ['userName', pathOf(['userName'])],
    ['displayName', pathOf(['displayName'])],
    ['name.familyName', pathOf(['name', 'familyName'])],
    ['enterprise:employeeNumber', pathOf([enterprise, 'employeeNumber'])],
  ] as const
  const several = ['emails', 'phoneNumbers'] as const
  return {
    columns: [['externalId', 'external_id']] as const,
    single: single
      .map(
        ([attribute, path]) =>
          `SELECT '${attribute}' AS attribute, '${path}' AS path, NULL AS part, ${no} AS is_unique`,
      )
      .join(' UNION ALL '),
    several: several
      .map(
        (name) =>
          `SELECT '${name}.value' AS attribute, '${pathOf([name], 'value')}' AS path, 'value' AS part, ${no} AS is_unique`,
      )
      .join(' UNION ALL '),
    first: several
      .map(
        (name) =>
          `SELECT '${orderName(`${name}.value`)}' AS attribute, '${pathOf([name])}' AS path, 'value' AS part, ${no} AS is_unique`,
      )
      .join(' UNION ALL '),
  }
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
