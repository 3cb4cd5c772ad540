import type { IndexedAttribute } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import { UniqueViolationError } from '../dialect.ts'
import { labelOf, type NarrowIndex, valueIndex } from '../list/narrow-index.ts'
import { createColumnReader } from '../row.ts'

/** The attributes of the host that are indexed. */
export interface IndexedAttributes {
  readonly add: (attributes: readonly IndexedAttribute[]) => Promise<void>
  /** The index of an attribute, by its label. */
  readonly indexOf: (label: string, values: 'single' | 'several') => NarrowIndex | undefined
  readonly hasUnique: () => boolean
}

/**
 * Their definitions are rows, which the triggers of `mintmark_users` read. A new definition and the values of the users
 * that exist are written in one transaction, which keeps other writers out: no user is missing in an index.
 */
export function createIndexedAttributes(database: Database): IndexedAttributes {
  const { engine, query, issuer, run, atomically } = database
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
      const present = new Map(rows.map((row) => [columns.text(row, 'attribute'), columns.flag(row, 'is_unique')]))
      for (const attribute of attributes) {
        const label = nameOf(attribute)
        if (present.get(label) !== attribute.isUnique) await define(attribute)
        isAnyUnique ||= attribute.isUnique
        if (attribute.isText) known.set(label, valueIndex(label, kindOf(attribute)))
      }
    },
    indexOf: (label, values) => {
      const index = known.get(label)
      return index !== undefined && (index.exact === 'several') === (values === 'several') ? index : undefined
    },
    hasUnique: () => isAnyUnique,
  }

  async function define(attribute: IndexedAttribute): Promise<void> {
    const { types } = engine
    const label = quoted(nameOf(attribute))
    const part = attribute.elementPart ?? (attribute.attribute.multiValued ? '' : undefined)
    const { extension, name, subName } = attribute.attribute
    const names = [extension, name, subName].filter((each) => each !== undefined)
    const path = quoted(types.pathOf(names, part))
    const isUnique = attribute.isUnique ? types.yes : types.no
    const ofIssuer = `issuer = ${quoted(issuer)} AND attribute = ${label}`
    const definition = `SELECT ${label} AS attribute, ${path} AS path, ${part === undefined ? 'NULL' : quoted(part)} AS part, ${isUnique} AS is_unique`
    const values = types.indexedValues({
      row: 'listed',
      from: `(SELECT * FROM mintmark_users WHERE issuer = ${quoted(issuer)}) AS listed`,
      ...(part === undefined ? { single: definition } : { several: definition }),
    })
    try {
      await atomically([
        ...types.lockTable('mintmark_users'),
        `DELETE FROM mintmark_indexed_attributes WHERE ${ofIssuer}`,
        `DELETE FROM mintmark_user_values WHERE ${ofIssuer}`,
        `INSERT INTO mintmark_indexed_attributes (issuer, attribute, path, part, is_unique)
SELECT ${quoted(issuer)}, defined.* FROM (${definition}) AS defined`,
        `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
${values}`,
      ])
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error
      throw new TypeError(`Two users of a provider have the same ${nameOf(attribute)}, which was declared unique.`, {
        cause: error,
      })
    }
  }
}

const kindOf = ({ attribute, elementPart }: IndexedAttribute): 'single' | 'several' =>
  attribute.multiValued || elementPart !== undefined ? 'several' : 'single'

/** The label in the index. */
const nameOf = ({ attribute, elementPart }: IndexedAttribute): string =>
  elementPart === undefined ? labelOf(attribute) : `${labelOf(attribute)}.${elementPart}`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
