// One file: the kinds of narrow indexes differ only in their columns, and share bounds and conditions.

import type { FilterAttribute, SortKey, TextOperator } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'
import { type ListOrder, orderByColumn, type Sql } from '../json-search.ts'
import {
  compileFilter,
  type ComparisonTemplate,
  endName,
  type FilterTemplate,
  nextSecondName,
  secondsName,
} from './filter.ts'
import { columnsScope, type KnownColumn } from './filter-scopes.ts'
import type { Parameter } from '../database.ts'

/**
 * A table with a few columns of each row of a kind, in the order of its key. A filter on these columns alone is
 * evaluated without the rows, which are ten times as large.
 */
export interface NarrowIndex {
  readonly table: string
  /** The column of the identifier. */
  readonly id: string
  /** The condition for the rows of this index and of the provider. */
  readonly scope: (p: Parameter<'issuer' | 'provider_id' | 'resource_type'>) => Sql
  /** The columns that hold an attribute, by its label. */
  readonly columns: ReadonlyMap<string, KnownColumn>
  /** The conditions on the key that a comparison implies. */
  readonly bounds: (comparison: ComparisonTemplate, parameter: Parameter<string>) => readonly Sql[]
  /**
   * Which rows of the index have the complete value of the attribute. For the other rows, the filter is evaluated on the
   * resource. `several`: a user may have many rows, which only serve to find the user.
   */
  readonly exact: 'all' | 'several' | Sql
  /** The condition for rows without the complete value; `undefined` if there are none. */
  readonly inexact: Sql | undefined
  /** The order of lists that the key has. Age and identifier follow. */
  readonly order: ListOrder
}

/** The narrow indexes of a kind. */
export interface NarrowIndexes {
  /** Returns the index of an attribute with one value. */
  readonly bySingle: (attribute: FilterAttribute) => NarrowIndex | undefined
  /** Returns the index of an attribute with several values. It finds the rows that may have a matching value. */
  readonly bySeveral: (list: FilterAttribute, part: FilterAttribute) => NarrowIndex | undefined
  /** Returns the index of memberships, which has no ages. */
  readonly byMembership: (list: FilterAttribute, part: FilterAttribute) => NarrowIndex | undefined
  /** Returns the index whose key has the order. */
  readonly byOrder: (sort: SortKey) => NarrowIndex | undefined
  /** The index of all rows by age. */
  readonly byAge: NarrowIndex
}

/** Returns the name of an attribute in an index. */
export const labelOf = ({ extension, name, subName }: FilterAttribute): string =>
  [extension === undefined ? name : `${extension === enterprise ? 'enterprise' : extension}:${name}`, subName]
    .filter((part) => part !== undefined)
    .join('.')

/** Returns the name in an index of an attribute, or of a part of each of its values. */
export const indexName = ({ attribute, elementPart }: Pick<SortKey, 'attribute' | 'elementPart'>): string =>
  elementPart === undefined ? labelOf(attribute) : `${labelOf(attribute)}.${elementPart}`

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Rows of an index that match a part of a filter. */
export interface NarrowMatch {
  readonly index: NarrowIndex
  readonly filter: FilterTemplate
}

/** Returns an index that can evaluate a whole filter. */
export function coveringIndex(filter: FilterTemplate, indexes: NarrowIndexes): NarrowIndex | undefined {
  const attributes = attributesOf(filter)
  if (attributes === undefined) return undefined
  // A filter may have many comparisons of few attributes.
  const labels = new Map(attributes.map((attribute) => [labelOf(attribute), attribute]))
  const found = new Set([...labels.values()].map((attribute) => indexes.bySingle(attribute)))
  return [...found].find(
    (index) => index !== undefined && [...labels.keys()].every((label) => index.columns.has(label)),
  )
}

/** Whether an index can evaluate a part of a filter. */
export const isCoveredBy = (filter: FilterTemplate, { columns }: NarrowIndex): boolean =>
  attributesOf(filter)?.every((attribute) => columns.has(labelOf(attribute))) ?? false

/**
 * Returns a match of a comparison of the values of a list, or of several joined by `or`, with the index that has these values. A
 * user matches if one of the entries does. The values that were cut are the inexact ones.
 */
export function severalMatch(filter: FilterTemplate, indexes: NarrowIndexes): NarrowMatch | undefined {
  if (filter.kind !== 'element') return undefined
  const { attribute, where } = filter
  const found = new Set(
    (where.kind === 'or' ? where.operands : [where]).map((part) =>
      part.kind === 'text' && part.operator !== 'ne' ? indexes.bySeveral(attribute, part.attribute) : undefined,
    ),
  )
  const [index] = found
  if (index === undefined || found.size > 1) return undefined
  const isCut = sql`length(${sql.ref(`${index.table}.value`)}) >= 200`
  return { index: { ...index, exact: sql`not ${isCut}`, inexact: isCut }, filter: where }
}

/** Returns the attributes with one value that a filter tests; `undefined` if it tests other attributes as well. */
function attributesOf(filter: FilterTemplate): readonly FilterAttribute[] | undefined {
  switch (filter.kind) {
    case 'or':
    case 'and': {
      const each = filter.operands.map(attributesOf)
      return each.some((attributes) => attributes === undefined) ? undefined : each.flatMap((found) => found ?? [])
    }
    case 'not':
      return attributesOf(filter.operand)
    case 'element':
      return undefined
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return filter.attribute.multiValued ? undefined : [filter.attribute]
    default:
      return filter satisfies never
  }
}

/** Returns the condition that a filter on columns of an index sets for its rows. */
export function narrowCondition(
  { index, filter }: NarrowMatch,
  { engine, parameter }: { readonly engine: SqlEngine; readonly parameter: Parameter<string> },
): Sql {
  const scope = columnsScope(index.columns, labelOf, engine.search)
  const matches = compileFilter(filter, { search: engine.search, scope, parameter })
  // A value that was cut may match.
  const found = index.exact === 'several' ? sql`(${matches} or length(mintmark_user_values.value) >= 200)` : matches
  return sql`${entriesCondition({ index, filter }, parameter)} and ${found}`
}

/** Returns the condition for the entries of an index that are read to find a match. */
export function entriesCondition({ index, filter }: NarrowMatch, parameter: Parameter<string>): Sql {
  const bounds = conjuncts(filter)
    .filter(isComparison)
    .map((part) => index.bounds(part, parameter))
    .filter((each) => each.length > 0)
    .slice(0, maximumBounds)
  return sql.join([index.scope(parameter), ...bounds.flat()], sql` and `)
}

/** Further bounds are left out, because planners take seconds for hundreds of bounds. The filter itself is evaluated anyway. */
const maximumBounds = 8

/** Whether a filter selects a range of an index by its key. Otherwise the whole index is read. */
export const isBounded = ({ index, filter }: NarrowMatch): boolean =>
  conjuncts(filter).some((part) => isComparison(part) && index.bounds(part, () => null).length > 0)

/** Returns the parts of a filter that must all match. */
export const conjuncts = (filter: FilterTemplate): readonly FilterTemplate[] =>
  filter.kind === 'and' ? filter.operands.flatMap(conjuncts) : [filter]

export const isComparison = (filter: FilterTemplate): filter is ComparisonTemplate =>
  filter.kind === 'text' || filter.kind === 'number' || filter.kind === 'boolean'

/** The order by age alone. */
const orderByAge: ListOrder = {
  values: [],
  key: (_, createdAt) => sql`${createdAt} * 1000`,
  after: () => [],
  mayBeAbsent: false,
}

/** The order of the index of the values of an attribute, whose kind is 1 if there is no value. */
const orderByValue = (kind: Sql, value: Sql): ListOrder => ({
  values: [sql`${kind}`, sql`${value}`],
  key: ([ofKind, ofValue]) => sql`case when ${ofKind} = 1 then null else ${ofValue} end`,
  after: (key) => [sql`case when ${key('text')} is null then 1 else 0 end`, sql`coalesce(${key('text')}, '')`],
  mayBeAbsent: false,
})

/** Creates the index of the values of an attribute. */
export function createValueIndex(label: string, values: 'single' | 'several'): NarrowIndex {
  const value = sql.ref('mintmark_user_values.value')
  const kind = sql.ref('mintmark_user_values.kind')
  return {
    table: 'mintmark_user_values',
    id: 'user_id',
    scope: (
      p,
    ) => sql`mintmark_user_values.issuer = ${p('issuer')} and mintmark_user_values.provider_id = ${p('provider_id')}
      and mintmark_user_values.attribute = ${sql.lit(label)}`,
    columns: new Map([
      [
        values === 'single' ? label : 'value',
        {
          kind: 'text',
          column: values === 'single' ? sql`case when ${kind} = 1 then null else ${value} end` : sql`${value}`,
        },
      ],
    ]),
    bounds: (comparison, parameter) =>
      comparison.kind === 'text'
        ? textBounds(comparison, sql`${value}`, { parameter, values }).flatMap((bound) => [sql`${kind} = 0`, bound])
        : [],
    exact: values === 'single' ? sql`${kind} < 2` : 'several',
    inexact: values === 'single' ? sql`${kind} = 2` : undefined,
    order: values === 'single' ? orderByValue(kind, value) : orderByAge,
  }
}

/** Returns a query for the identifiers of the rows without the complete value of the attribute. */
export const inexactRows = ({ table, id, scope, inexact }: NarrowIndex, p: Parameter<string>): Sql =>
  inexact === undefined
    ? sql`select null as id where false`
    : sql`select ${sql.ref(id)} as id from ${sql.table(table)} where ${scope(p)} and ${inexact}`

/** A table whose rows belong to owners. */
type IndexedTable = Pick<NarrowIndex, 'table' | 'id' | 'scope'>

/** Creates the index of the times of the last change. */
const createChangeIndex = ({ table, id, scope }: IndexedTable): NarrowIndex => ({
  table,
  id,
  scope,
  columns: new Map([
    ['meta.lastModified', { kind: 'number', column: sql`(${sql.ref(`${table}.updated_at`)} * 1000)` }],
    ['meta.created', { kind: 'number', column: sql`(${sql.ref(`${table}.created_at`)} * 1000)` }],
    ['id', { kind: 'text', column: sql`${sql.ref(`${table}.${id}`)}` }],
  ]),
  bounds: ({ kind, attribute, operator, value }, parameter) => {
    if (kind !== 'number' || labelOf(attribute) !== 'meta.lastModified') return []
    // The bounds include up to a second more than the comparison, on either side: the filter itself is evaluated as well.
    const updatedAt = sql.ref(`${table}.updated_at`)
    const after = sql`${updatedAt} >= ${parameter(secondsName(value))}`
    const before = sql`${updatedAt} <= ${parameter(nextSecondName(value))}`
    switch (operator) {
      case 'eq':
        return [after, before]
      case 'gt':
      case 'ge':
        return [after]
      case 'lt':
      case 'le':
        return [before]
      default:
        return []
    }
  },
  exact: 'all',
  inexact: undefined,
  order: {
    values: [sql`${sql.ref(`${table}.updated_at`)}`],
    key: ([updatedAt]) => sql`${updatedAt} * 1000`,
    after: (key) => [sql`${key('integer')} / 1000`],
    mayBeAbsent: false,
  },
})

const ofProvider =
  (table: string): NarrowIndex['scope'] =>
  (p) =>
    sql`${sql.ref(`${table}.issuer`)} = ${p('issuer')} and ${sql.ref(`${table}.provider_id`)} = ${p('provider_id')}`

const userChanges = createChangeIndex({
  table: 'mintmark_user_changes',
  id: 'user_id',
  scope: ofProvider('mintmark_user_changes'),
})

/** The index of the times of the last change of users, with the status. */
export const changeIndex: NarrowIndex = {
  ...userChanges,
  columns: new Map([
    ...userChanges.columns,
    ['active', { kind: 'boolean', column: sql`mintmark_user_changes.active` }],
  ]),
}

function textBounds(
  {
    operator,
    value,
    values: several,
  }: Pick<ComparisonTemplate, 'value' | 'values'> & { readonly operator: TextOperator },
  column: Sql,
  { parameter, values }: { readonly parameter: Parameter<string>; readonly values: 'single' | 'several' },
): readonly Sql[] {
  // The index of an attribute with several values cuts long values, so compare only their beginning.
  const operandOf = (name: string): Sql =>
    values === 'single' ? sql`${parameter(name)}` : sql`substr(${parameter(name)}, 1, 200)`
  const operand = operandOf(value)
  switch (operator) {
    case 'eq':
      return several === undefined
        ? [sql`${column} = ${operand}`]
        : [sql`${column} in (${sql.join(several.map(operandOf))})`]
    case 'sw':
      return [sql`${column} >= ${operand}`, sql`${column} < ${parameter(endName(value))}`]
    case 'gt':
    case 'ge':
      return [sql`${column} >= ${operand}`]
    case 'lt':
    case 'le':
      return [sql`${column} <= ${parameter(value)}`]
    default:
      return []
  }
}

/** All users of a provider by identifier. */
export const identifierIndex: NarrowIndex = {
  ...changeIndex,
  order: orderByColumn(sql`mintmark_user_changes.user_id`, 'text', false),
}

/** Creates the index of all rows of a table by age. */
const createAgeIndex = ({ table, id, scope }: IndexedTable): NarrowIndex => ({
  table,
  id,
  scope,
  columns: new Map(),
  bounds: () => [],
  exact: 'all',
  inexact: undefined,
  order: orderByAge,
})

/** The members of each group of an issuer. */
export const membershipIndex: NarrowIndex = {
  table: 'mintmark_group_members',
  id: 'member_id',
  scope: (p) => sql`mintmark_group_members.issuer = ${p('issuer')}`,
  columns: new Map([['value', { kind: 'text', column: sql`mintmark_group_members.group_id` }]]),
  bounds: ({ value }, parameter) => [sql`mintmark_group_members.group_id = ${parameter(value)}`],
  exact: 'all',
  inexact: undefined,
  order: orderByAge,
}

/** All users of a provider by age. */
export const ageIndex = createAgeIndex({ table: 'mintmark_users', id: 'user_id', scope: ofProvider('mintmark_users') })

/**
 * Creates the index of a key column of the table itself. The column contains a short string as a whole, and the digest of a
 * long one.
 */
function createKeyIndex(indexed: IndexedTable, label: string, column: string): NarrowIndex {
  const key = sql`${sql.ref(`${indexed.table}.${column}`)}`
  const isDigest = sql`${key} >= 'sha256 ' and ${key} < 'sha256!'`
  return {
    ...indexed,
    columns: new Map([[label, { kind: 'text', column: key }]]),
    bounds: (comparison, parameter) =>
      comparison.kind === 'text' ? textBounds(comparison, key, { parameter, values: 'single' }) : [],
    exact: sql`(${key} is null or not (${isDigest}))`,
    inexact: sql`(${isDigest})`,
    order: orderByColumn(key, 'text', false),
  }
}

/**
 * Creates the indexes of groups and of resources of custom types. They are ordinary indexes of their tables, whose rows are
 * small and change less often than users.
 * @param keys columns that hold the key of an attribute. Lists are sorted only by keys that every row has.
 */
export function createTableIndexes(
  indexed: IndexedTable,
  keys: readonly { readonly label: string; readonly column: string; readonly isInEveryRow: boolean }[],
): NarrowIndexes {
  const changes = createChangeIndex(indexed)
  const byKey = new Map(keys.map(({ label, column }) => [label, createKeyIndex(indexed, label, column)]))
  const byAge = createAgeIndex(indexed)
  const orders = new Map([
    ...keys.filter(({ isInEveryRow }) => isInEveryRow).map(({ label }) => [label, byKey.get(label)] as const),
    ['meta.lastModified', changes],
    ['meta.created', byAge],
    ['id', { ...changes, order: orderByColumn(sql`${sql.ref(`${indexed.table}.${indexed.id}`)}`, 'text', false) }],
  ])
  return {
    bySingle: (attribute) => {
      const label = labelOf(attribute)
      return changes.columns.has(label) ? changes : byKey.get(label)
    },
    bySeveral: () => undefined,
    byMembership: () => undefined,
    byAge,
    byOrder: ({ attribute }) => orders.get(labelOf(attribute)),
  }
}
