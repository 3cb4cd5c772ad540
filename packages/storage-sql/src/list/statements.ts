import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import { unionOf } from './candidates.ts'
import { coveredStatement } from './covered-statement.ts'
import { intersectedStatement } from './intersected-statement.ts'
import type { ListedKind } from './listed-kind.ts'
import { inexactRows, type NarrowIndex } from './narrow-index.ts'
import { orderedStatement } from './ordered-statement.ts'
import type { PageForm } from './page-of-records.ts'
import type { Plan } from './plan.ts'
import { scanStatement } from './scan-statement.ts'

type Builder = Pick<Database, 'query' | 'engine'>

/** Compiles a plan to a statement for a page, with the number of all matches. */
export function statementOf(
  builder: Builder,
  kind: ListedKind,
  { plan, form }: { readonly plan: Plan; readonly form: PageForm },
): Statement<string> {
  switch (plan.kind) {
    case 'ordered':
      return orderedStatement(builder, kind, { ...plan, form })
    case 'covered':
      return coveredStatement(builder, kind, { ...plan, form })
    case 'intersected':
      return intersectedStatement(builder, kind, { ...plan, form })
    case 'candidates':
    case 'everything':
      return scanStatement(builder, kind, { ...plan, form })
    default:
      return plan satisfies never
  }
}

/** Reads the number of all rows. */
export const totalStatement = ({ query }: Builder, { rows }: ListedKind): Statement<string> =>
  compileSql(query, (p: Parameter<string>) => sql`select ${rows.total(p)} as total`)

/** Finds a row if one of the indexes has a row without the complete value of the attribute. */
export const inexactStatement = ({ query }: Builder, indexes: readonly NarrowIndex[]): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select 1 as found where exists (${unionOf(indexes.map((index) => inexactRows(index, p)))})`,
    'passing',
  )
