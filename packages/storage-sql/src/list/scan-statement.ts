import type { SortKey } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import { type ListOrder, orderByColumn } from '../json-search.ts'
import { compileFilter } from './filter.ts'
import { type ListedKind, placeOf } from './listed-kind.ts'
import { candidateTable, fromCandidates, rowScope } from './candidate-rows.ts'
import { type PageForm, pageOf, recordsOfPage, sortNames } from './page-of-records.ts'
import type { CandidatesPlan, EverythingPlan } from './plan.ts'

/** Evaluates the filter on all rows, or on the candidates. */
export function scanStatement(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  kind: ListedKind,
  { form, ...plan }: (CandidatesPlan | EverythingPlan) & { readonly form: PageForm },
): Statement<string> {
  const { filter, sort } = plan
  const candidates = plan.kind === 'candidates' ? plan.query : undefined
  const sorted = sort && { sort, order: sortOrder(kind, sort, engine.search) }
  const values = sorted?.order.values ?? []
  const id = sql.ref(`${kind.table}.${kind.id}`)
  const createdAt = sql.ref(`${kind.table}.created_at`)
  return compileSql(
    query,
    (p: Parameter<string>) => sql`with ${candidates === undefined ? sql`` : candidateTable(candidates(p), engine, p)}
        matching (${sql.join([sql.ref('id'), sql.ref('created_at'), ...sortNames(values)])}) ${engine.materialized} (
          select ${sql.join([id, createdAt, ...values])} ${candidates === undefined ? sql`from ${kind.from} where ${kind.rows.every(p)}` : fromCandidates(kind, engine, p)}
          ${filter === undefined ? sql`` : sql`and ${compileFilter(filter, rowScope(kind, engine, p))}`}
        ), ${pageOf(sql`select * from matching`, { sorted, form, engine, p })}
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from matching)`,
          candidateCount: candidates && sql`(select count(*) from candidate)`,
          sorted,
          p,
        })}`,
    'passing',
  )
}

function sortOrder(
  kind: ListedKind,
  { attribute, elementPart }: SortKey,
  search: Database['engine']['search'],
): ListOrder {
  const place = placeOf(kind, attribute)
  if (place.kind === 'nowhere') return { values: [], key: () => sql`null`, after: () => [], mayBeAbsent: false }
  if (place.kind === 'document') return search.sortOrder(kind.document, place.path, elementPart)
  return orderByColumn(place.column, place.kind, true)
}
