import type { FilterAttribute } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { FilterScope } from '../filter/fold-filter.ts'
import type { IndexLookups } from '../filter/index-lookups.ts'
import { columnValue, jsonScope, noValue } from '../filter/json-scope.ts'
import type { JsonSearch, Sql, ValueKind } from '../json-search.ts'

/** Accounts or groups, as lists of them are read. Their rows have `issuer`, `provider_id`, `created_at` and `comparable`. */
export interface ListedKind {
  readonly table: string
  /** The column of the identifier. */
  readonly id: string
  /** How the table of totals calls it. */
  readonly total: 'User' | 'Group'
  /** The columns of a record. */
  readonly record: Sql
  /** What the store knows itself, by name. */
  readonly columns: ReadonlyMap<string, KnownColumn>
  readonly memberships: Memberships
  readonly lookups: IndexLookups
}

export interface KnownColumn {
  readonly kind: ValueKind
  readonly column: Sql
}

/** The attribute that is made of memberships. */
export interface Memberships {
  readonly attribute: string
  /** The memberships of a row of the table. */
  readonly from: (alias: string) => Sql
  /** The parts of each that are texts, and columns of `from`. */
  readonly parts: readonly string[]
}

/** What the store knows of an attribute itself; `undefined` when the comparable form has it. */
export function knownColumn({ columns, memberships }: ListedKind, attribute: FilterAttribute): KnownColumn | 'nothing' | undefined {
  const { extension, name, subName } = attribute
  if (extension !== undefined) return undefined
  const known = columns.get(subName === undefined ? name : `${name}.${subName}`)
  if (known !== undefined) return known
  const isOurs = name === 'meta' || name === memberships.attribute || columns.has(name)
  return isOurs ? 'nothing' : undefined
}

/** Where a filter finds the attributes of what is listed. */
export function listedScope(kind: ListedKind, search: JsonSearch): FilterScope {
  const { table, memberships } = kind
  const inJson = jsonScope(sql.ref(`${table}.comparable`), search)
  const isMembership = ({ extension, name }: FilterAttribute): boolean =>
    extension === undefined && name === memberships.attribute

  return {
    value: (attribute) => {
      const known = knownColumn(kind, attribute)
      if (known === undefined) return inJson.value(attribute)
      return known === 'nothing' ? noValue : columnValue(known.kind, known.column, search)
    },

    isPresent: (attribute) => {
      if (isMembership(attribute)) return sql`exists (select 1 from ${memberships.from('membership')})`
      // Whatever there is, has times.
      if (attribute.extension === undefined && attribute.name === 'meta' && attribute.subName === undefined) return sql`true`
      const known = knownColumn(kind, attribute)
      if (known === undefined) return inJson.isPresent(attribute)
      if (known === 'nothing') return sql`false`
      return known.kind === 'text' ? sql`coalesce(${known.column} <> '', false)` : sql`(${known.column} is not null)`
    },

    elements: (attribute, alias) =>
      isMembership(attribute)
        ? { from: memberships.from(alias), scope: partsScope(memberships, alias, search) }
        : inJson.elements(attribute, alias),
  }
}

function partsScope({ parts }: Memberships, alias: string, search: JsonSearch): FilterScope {
  const isPart = ({ name, subName }: FilterAttribute): boolean => subName === undefined && parts.includes(name)
  const scope: FilterScope = {
    value: ({ name, ...rest }) =>
      isPart({ name, ...rest }) ? columnValue('text', sql`${sql.ref(`${alias}.${name}`)}`, search) : noValue,
    isPresent: (attribute) => (isPart(attribute) ? sql`true` : sql`false`),
    // RFC 7643 §2.3.8: no part of a complex value is complex.
    elements: (_, inner) => ({ from: sql`(select 1 where false) as ${sql.ref(inner)}`, scope }),
  }
  return scope
}
