import type { FilterAttribute, TextLookup } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { SqlEngine, SqlKey } from '../dialect.ts'
import type { JsonSearch, Sql } from '../json-search.ts'
import type { FilterScope } from './filter.ts'
import { columnValue, elementsAt, isColumnPresent, type KnownColumn, noElements, noValue } from './filter-scopes.ts'
import type { NarrowIndexes } from './narrow-index.ts'
import type { Parameter } from '../database.ts'

/**
 * A kind of rows that can be listed and filtered: users or groups. The table has the columns `issuer` and `created_at`.
 */
export interface ListedKind {
  readonly table: string
  /** The column of the identifier. */
  readonly id: string
  readonly rows: ListedRows
  /** The index of the rows by age. */
  readonly ageIndex: string
  /** The columns of a record. */
  readonly record: Sql
  /** The same without the groups of a user. */
  readonly recordWithoutGroups?: Sql
  /** The same with at most `groupsInLookup` groups. */
  readonly recordInLookup?: Sql
  /** The same for a page. */
  readonly recordInPage?: RowExpression
  /** The `FROM` clause of statements that filter rows. */
  readonly from: Sql
  /** The document that filters search for attributes that have no column, and the path of an attribute in it. */
  readonly document: Sql
  readonly documentPath: (attribute: FilterAttribute) => readonly string[] | undefined
  /** Attributes that have a column, by name. */
  readonly columns: ReadonlyMap<string, KnownColumn>
  readonly memberships: Memberships | undefined
  readonly lookups: IndexLookups
  /** Indexes that answer filters and give orders, if it has any. */
  readonly narrow: NarrowIndexes | undefined
  /** The size of a row's resource, in bytes. */
  readonly size: Sql
  /** The size of the groups of a record, in bytes. */
  readonly groupsSize?: RowExpression
  /**
   * The record and its size for small pages: a user with many groups has only some of them, and a size larger than
   * `smallPageBytes`.
   */
  readonly withFewGroups?: { readonly record: RowExpression; readonly size: RowExpression }
}

/** An expression over a row of a page. */
export type RowExpression = (p: Parameter<OwnerValue>) => Sql

/** A page of at most this many bytes takes a few milliseconds to read. */
export const smallPageBytes = 262_144

/** The parameters that name the owner of rows: a provider, and a resource type where one table has several. */
export type OwnerValue = 'issuer' | 'provider_id' | 'resource_type'

/** The rows of the table that are listed. */
export interface ListedRows {
  /** The condition of a statement that reads all rows by an index. */
  readonly every: (p: Parameter<OwnerValue>) => Sql
  /** The condition on a row that was found by its identifier. */
  readonly one: (p: Parameter<OwnerValue>) => Sql
  /** The number of rows, from a stored total: they are not counted. */
  readonly total: (p: Parameter<OwnerValue>) => Sql
}

/** An index that finds rows by a string. */
export interface IndexLookup extends TextLookup {
  /** The table of the index, and its column. */
  readonly table: string
  readonly by: string
  /** Whether a row of the table has one of the strings. `values` are the names of their parameters. */
  readonly condition: (values: readonly string[], parameter: Parameter<string>) => Sql
  /** A query for the identifiers of those rows. */
  readonly find: (values: readonly string[], parameter: Parameter<string>) => Sql
}

/** Indexes by attribute, such as `userName` and `emails.value`. */
type IndexLookups = ReadonlyMap<string, IndexLookup>

/** The attribute whose values are memberships. */
interface Memberships {
  readonly attribute: string
  /** The index that begins with the columns of `of`. */
  readonly index: string
  /** Whether a row of `mintmark_group_members` is a membership of a row of the table. */
  readonly of: (alias: string) => Sql
  /** The sub-attributes, which are strings. */
  readonly parts: ReadonlyMap<string, (alias: string) => Sql>
}

/** Returns the key of a row. */
export const keyOf = ({ table, id }: Pick<ListedKind, 'table' | 'id'>, p: Parameter<'issuer'>): SqlKey => ({
  issuerColumn: sql.ref(`${table}.issuer`),
  issuer: sql`${p('issuer')}`,
  column: sql.ref(`${table}.${id}`),
})

/** Where to find an attribute: in a column, in the document, or nowhere. */
type AttributePlace =
  KnownColumn | { readonly kind: 'document'; readonly path: readonly string[] } | { readonly kind: 'nowhere' }

export function placeOf(
  { columns, memberships, documentPath }: ListedKind,
  attribute: FilterAttribute,
): AttributePlace {
  const { extension, name, subName } = attribute
  const known = extension === undefined ? columns.get(subName === undefined ? name : `${name}.${subName}`) : undefined
  if (known !== undefined) return known
  const isAddedByStore =
    extension === undefined && (columns.has(name) || hasParts(columns, name) || name === memberships?.attribute)
  const path = isAddedByStore ? undefined : documentPath(attribute)
  return path === undefined ? { kind: 'nowhere' } : { kind: 'document', path }
}

/** Finds the attributes of a filter in the rows of a kind. */
export function listedScope(kind: ListedKind, { search, throughIndex }: SqlEngine): FilterScope {
  const { columns, document, memberships } = kind
  const isMembership = ({ extension, name }: FilterAttribute): boolean =>
    extension === undefined && name === memberships?.attribute
  const fromMemberships = ({ index }: Memberships, alias: string): Sql =>
    throughIndex('mintmark_group_members', index, alias)

  return {
    value: (attribute) => {
      const place = placeOf(kind, attribute)
      if (place.kind === 'nowhere') return noValue
      return place.kind === 'document' ? search.at(document, place.path) : columnValue(place.kind, place.column, search)
    },

    isPresent: (attribute) => {
      if (memberships !== undefined && isMembership(attribute))
        return sql`exists (select 1 from ${fromMemberships(memberships, 'membership')} where ${memberships.of('membership')})`
      // Only `meta` has parts in columns, and every row has its times.
      if (attribute.extension === undefined && attribute.subName === undefined && hasParts(columns, attribute.name))
        return sql`true`
      const place = placeOf(kind, attribute)
      if (place.kind === 'nowhere') return sql`false`
      if (place.kind === 'document') return search.isPresent(document, place.path)
      return isColumnPresent(place)
    },

    elements: (attribute, alias) => {
      if (memberships !== undefined && isMembership(attribute)) {
        return {
          from: fromMemberships(memberships, alias),
          where: memberships.of(alias),
          scope: partsScope(memberships, alias, search),
        }
      }
      const place = placeOf(kind, attribute)
      return place.kind === 'document' ? elementsAt(document, place.path, { search, alias }) : noElements(alias)
    },
  }
}

/** Whether columns hold sub-attributes of an attribute, as with `meta`. */
const hasParts = (columns: ListedKind['columns'], name: string): boolean =>
  [...columns.keys()].some((key) => key.startsWith(`${name}.`))

function partsScope({ parts }: Memberships, alias: string, search: JsonSearch): FilterScope {
  const partOf = ({ name, subName }: FilterAttribute): Sql | undefined =>
    subName === undefined ? parts.get(name)?.(alias) : undefined
  return {
    value: (attribute) => {
      const part = partOf(attribute)
      return part === undefined ? noValue : columnValue('text', part, search)
    },
    isPresent: (attribute) => (partOf(attribute) === undefined ? sql`false` : sql`true`),
    // RFC 7643 §2.3.8: no part of a complex value is complex.
    elements: (_, inner) => noElements(inner),
  }
}
