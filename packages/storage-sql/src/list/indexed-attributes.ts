import type { IndexedAttribute } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import { type SqlEngine, UniqueViolationError } from '../dialect.ts'
import { indexName, type NarrowIndex, createValueIndex } from './narrow-index.ts'
import { orderName } from '../migrations/0001/user-value-triggers.ts'
import { createColumnReader } from '../row.ts'

/** The attributes that the host has declared as indexed. */
export interface IndexedAttributes {
  readonly add: (attributes: readonly IndexedAttribute[]) => Promise<void>
  /** The index of an attribute, by its label. */
  readonly indexOf: (label: string, values: 'single' | 'several') => NarrowIndex | undefined
  readonly hasUnique: () => boolean
}

/**
 * The definitions of the attributes are rows, which the triggers of `mintmark_users` read. A new definition and the values of
 * existing users are written in one transaction, which keeps other writers out: no user is missing in an index.
 */
export function createIndexedAttributes(database: Database): IndexedAttributes {
  const { engine, query, run } = database
  const columns = createColumnReader(engine)
  const known = new Map<string, NarrowIndex>()
  let isAnyUnique = false
  const find = compileSql(
    query,
    (p: Parameter<'issuer'>) =>
      sql`select attribute, is_unique from mintmark_indexed_attributes where issuer = ${p('issuer')}`,
  )

  return {
    async add(attributes) {
      const rows = await run(find, {})
      const stored = new Map(rows.map((row) => [columns.text(row, 'attribute'), columns.flag(row, 'is_unique')]))
      // The index of userName is always there, and its values are unique anyway.
      for (const attribute of attributes.filter((each) => indexName(each) !== 'userName')) {
        for (const definition of definitionsOf(attribute, engine.types)) {
          const { name, isUnique } = definition
          if (stored.get(name) !== isUnique) await define(attribute, definition, database)
          isAnyUnique ||= isUnique
          if (attribute.isText)
            known.set(name, createValueIndex(name, definition.kind === 'several' ? 'several' : 'single'))
        }
      }
    },
    indexOf: (label, values) => {
      const index = known.get(label)
      return index !== undefined && (index.exact === 'several') === (values === 'several') ? index : undefined
    },
    hasUnique: () => isAnyUnique,
  }
}

/** Stores a definition, and the values of existing users. */
async function define(
  attribute: IndexedAttribute,
  { name, kind, path, part, isUnique }: Definition,
  { engine: { types }, issuer, atomically }: Database,
): Promise<void> {
  const ofIssuer = `issuer = ${quote(issuer)} AND attribute = ${quote(name)}`
  const definition = `SELECT ${quote(name)} AS attribute, ${quote(path)} AS path, ${part === undefined ? 'NULL' : quote(part)} AS part, ${isUnique ? types.yes : types.no} AS is_unique`
  const values = types.indexedValues({
    row: 'listed',
    from: `(SELECT * FROM mintmark_users WHERE issuer = ${quote(issuer)}) AS listed`,
    [kind]: [
      {
        attribute: quote(name),
        path: quote(path),
        part: part === undefined ? 'NULL' : quote(part),
        isUnique: isUnique ? types.yes : types.no,
      },
    ],
  })
  try {
    await atomically([
      ...types.lockTable('mintmark_users'),
      `DELETE FROM mintmark_indexed_attributes WHERE ${ofIssuer}`,
      `DELETE FROM mintmark_user_values WHERE ${ofIssuer}`,
      `INSERT INTO mintmark_indexed_attributes (issuer, attribute, path, part, is_unique)
SELECT ${quote(issuer)}, defined.* FROM (${definition}) AS defined`,
      `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
${values}`,
    ])
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error
    throw new TypeError(`Two users of a provider have the same ${indexName(attribute)}, which was declared unique.`, {
      cause: error,
    })
  }
}

/** A row of `mintmark_indexed_attributes`. */
interface Definition {
  readonly name: string
  /** Which of the values are in the index: see `SqlIndexedValues`. */
  readonly kind: 'single' | 'several' | 'first'
  readonly path: string
  readonly part: string | undefined
  readonly isUnique: boolean
}

/**
 * Returns the definitions of the indexes of an attribute. An attribute with several values has two indexes: one finds users
 * by any of the values, the other gives the order.
 */
function definitionsOf(indexed: IndexedAttribute, { pathOf }: SqlEngine['types']): readonly Definition[] {
  const { attribute, elementPart, isUnique } = indexed
  const name = indexName(indexed)
  const names = [attribute.extension, attribute.name, attribute.subName].filter((each) => each !== undefined)
  if (!attribute.multiValued) return [{ name, kind: 'single', path: pathOf(names), part: undefined, isUnique }]
  const part = elementPart ?? ''
  return [
    { name, kind: 'several', path: pathOf(names, part), part, isUnique },
    { name: orderName(name), kind: 'first', path: pathOf(names), part, isUnique: false },
  ]
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
